from .json import once as total
