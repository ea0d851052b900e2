# docker build --tag gamebench .
# docker run --rm --volume gamebench-results:/results gamebench run Leduc --compare
#
# Results are written to the volume /results. To have them in a folder of your own, make it and run the container as
# yourself: docker run --rm --user "$(id -u)" --volume "$PWD/results:/results" gamebench ...
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim
# Extras of pyproject.toml, for example --build-arg EXTRAS=ray,tune
ARG EXTRAS=tensorboard,tune
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir "$(echo /wheels/gamebench-*.whl)[${EXTRAS}]"

# Caches are open to all users, so that the container can be run as any of them.
RUN useradd --create-home gamebench \
    && install --directory --owner gamebench --mode 1777 /results /cache /cache/kernels
ENV GAMEBENCH_CACHE=/cache/games \
    NUMBA_CACHE_DIR=/cache/kernels \
    MPLCONFIGDIR=/cache/matplotlib
USER gamebench
# Compiles the usual kernels, so that no container has to.
RUN gamebench sweep overview "games=[Kuhn,MCCKuhn-A]" iterations=20 --out /tmp/first \
    && rm -r /tmp/first && chmod -R a+rwX /cache

WORKDIR /results
VOLUME /results
ENTRYPOINT ["gamebench"]
CMD ["--help"]
