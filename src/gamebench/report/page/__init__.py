"""A folder of results as one HTML page that opens offline: charts, scores, policies and their provenance."""

from gamebench.report.page.assembly import build_page as build_page
