"""The machine below: files written safely, processes, memory, progress bars."""
