"""Before nodes run, uv resolves, installs and activates the packages that they require by PEP 723."""
