from .tree_drawing import TreeDrawing as TreeDrawing
