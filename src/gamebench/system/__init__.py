"""The machine underneath: files that are written safely, processes, memory, progress bars."""
