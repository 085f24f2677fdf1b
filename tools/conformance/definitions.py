"""Definitions of entities: components and hashes (WIRE-FORMAT.md, WF19 and WF20), columns (STATE-CODEC.md)."""
import math

VECTORS = {"vec2": "xy", "vec3": "xyz"}
DERIVED_MOST = 262143
COMPONENT_KINDS = {"vec2": "number", "vec3": "number", "scalar": "number", "uint": "int"}
MOVING = ("velocity", "acceleration", "turn")


def js_number(value):
    """Returns a number in the format of ECMAScript."""
    value = float(value)
    if value == 0:
        return "0"
    mantissa, exponent = f"{abs(value):e}", 0
    digits = repr(abs(value))
    if "e" in digits:
        mantissa, exponent = digits.split("e")
        exponent = int(exponent)
    else:
        mantissa = digits
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    all_digits = (whole + fraction).lstrip("0")
    point = len(whole) + exponent - (len(whole + fraction) - len((whole + fraction).lstrip("0")))
    all_digits = all_digits.rstrip("0")
    count = len(all_digits)
    if count <= point <= 21:
        text = all_digits + "0" * (point - count)
    elif 0 < point <= 21:
        text = f"{all_digits[:point]}.{all_digits[point:]}"
    elif -6 < point <= 0:
        text = "0." + "0" * -point + all_digits
    else:
        sign = "+" if point > 0 else "-"
        text = all_digits[0] + (f".{all_digits[1:]}" if count > 1 else "") + f"e{sign}{abs(point - 1)}"
    return f"-{text}" if value < 0 else text


def fnv1a(text):
    hashed = 0x811C9DC5
    for byte in text.encode():
        hashed = ((hashed ^ byte) * 0x01000193) & 0xFFFFFFFF
    return hashed


class Leaf:
    """A field with values of its own, not a group or a list."""

    def __init__(self, path, field):
        self.path = path
        self.kind = field["kind"]
        self.names = field.get("values", [])
        self.max_bytes = field.get("maxBytes")
        self.derived_from = field.get("derivedFrom")
        self.is_text = self.kind in ("string", "bytes")
        self.min, self.max = self._range(field)
        self.precision = field.get("precision", 0 if self.is_text else 1)

    def _range(self, field):
        if self.kind == "angle":
            return -math.pi, math.pi
        if self.kind == "flag":
            return 0, 1
        if self.kind == "enum":
            return 0, len(self.names) - 1
        if self.kind == "quat":
            return -1, 1
        return field.get("range", (0, 0))

    def hashed(self):
        parts = [self.path, self.kind, js_number(self.min), js_number(self.max), js_number(self.precision)]
        parts += ["" if self.max_bytes is None else str(self.max_bytes), ",".join(self.names), self.derived_from or ""]
        return ":".join(parts)

    def component_names(self):
        if self.kind in VECTORS:
            return [f"{self.path}.{axis}" for axis in VECTORS[self.kind]]
        if self.kind == "quat":
            return [f"{self.path}.{axis}" for axis in "xyzw"]
        return [] if self.is_text else [self.path]


def tag_of(name, field):
    """WF52: returns the number of a list or map of changing length."""
    items = [leaf.hashed() for leaf in leaves_of("", field["item"])]
    return fnv1a("|".join([name, field["kind"], js_number(field["max"]), *items])) & 0xFFFF or 1


def leaves_of(path, field):
    if field["kind"] in ("growing", "map"):
        return []
    if field["kind"] == "group":
        return [leaf for name, inner in field["fields"].items() for leaf in leaves_of(f"{path}.{name}", inner)]
    if field["kind"] == "list":
        return [leaf for index in range(field["length"]) for leaf in leaves_of(f"{path}.{index}", field["item"])]
    return [Leaf(path, field)]


class Definition:
    """A definition of an entity; `fields` has the form of the vectors (`definitions.json`)."""

    def __init__(self, name, motion, fields):
        self.name, self.motion = name, motion
        self.leaves = [leaf for path, field in fields.items() for leaf in leaves_of(path, field)]
        self.derived = self._derived()
        self.components = self._components()
        tags = [f"#{tag_of(path, field)}" for path, field in fields.items() if field["kind"] in ("growing", "map")]
        self.hashed = "|".join([name, motion, *(leaf.hashed() for leaf in self.leaves), *tags])
        self.schemaHash = fnv1a(self.hashed)

    def leaf(self, path):
        return next((leaf for leaf in self.leaves if leaf.path == path), None)

    def _derived(self):
        """Returns (name, axes, source field) of the derived components of WF19."""
        position, heading = self.leaf("position"), self.leaf("heading")
        derived = []
        if self.motion not in MOVING:
            return derived
        if position is not None and position.kind in VECTORS:
            names = ["velocity"] if self.motion == "velocity" else ["velocity", "acceleration"]
            for name in names:
                own = self.leaf(name)
                if own is None or own.kind != position.kind:
                    derived.append((name, VECTORS[position.kind], position))
        if heading is not None and heading.kind == "angle":
            derived.append(("turnRate", "", heading))
        return derived

    def _components(self):
        components = []
        for leaf in self.leaves:
            kind = COMPONENT_KINDS.get(leaf.kind, leaf.kind)
            components += [(name, kind, leaf.min, leaf.max) for name in leaf.component_names()]
        for name, axes, _ in self.derived:
            names = [f"{name}.{axis}" for axis in axes] or [name]
            components += [(component, "number", -1000000, 1000000) for component in names]
        return components
