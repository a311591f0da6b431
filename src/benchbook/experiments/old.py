# ruff: noqa
"""For chapters of the old shape."""


class Old:
    def __init__(self, module):
        self.module = module
        self.name, self.title, self.engine = module.NAME, module.TITLE, module.ENGINE
        self.version = getattr(module, "MEASUREMENT_VERSION", 0)
        self.kind = getattr(module, "KIND", "measurement")
        self.question = module.__doc__

    @property
    def measuring(self):
        parts = (self.module.Parameters, self.module.plan, self.module.reduce, self.module.session)
        return [part.__module__ for part in parts]

    def __getattr__(self, name):
        return getattr(self.module, name)
