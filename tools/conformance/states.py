"""Reads bodies of states, and keeps the decoded states (STATE-CODEC.md, "A packet's body" and "What a reader keeps")."""
from bit_reader import BitReader
from byte_reader import Drop
from row_reader import RowReader, read_masks, tick_difference

MOST = 4096
MOST_COLUMNS = 131072


class Entity:
    def __init__(self, number, kind):
        self.number, self.kind = number, kind
        self.rows = {}
        self.newest = None

    def row(self, tick, places):
        kept = self.rows.get(tick % places)
        return kept[1:] if kept is not None and kept[0] == tick else None

    def keep(self, tick, places, row, texts):
        kept = self.rows.get(tick % places)
        if kept is None or tick_difference(tick, kept[0]) >= 0:
            self.rows[tick % places] = (tick, row, texts)
        if self.newest is None or tick_difference(tick, self.newest) > 0:
            self.newest = tick


class Head:
    def __init__(self, number):
        self.number = number
        self.ticks = None
        self.baselines = None
        self.kind = self.owner = self.teleports = None


class StateReader:
    """The states of one stream, or of one snapshot reader: `plans` by kind."""

    def __init__(self, plans, history_ticks=64):
        self.plans, self.history_ticks = plans, history_ticks
        self.entities = {}
        self.ended = {}

    def read(self, body, tick):
        """Returns the decoded body as a dict. A dropped body changes nothing."""
        coder = BitReader(body)
        removed, checksum = [], None
        if coder.flag():
            count = self._count(coder, 1)
            heads = self._uniform_heads(coder, count, self._consecutive(coder, tick))
        elif coder.flag():
            heads = self._short_heads(coder, tick, self._count(coder, 1))
        else:
            count = self._count(coder, 0)
            shared = self._baselines(coder, tick)
            removed = self._removals(coder)
            if coder.flag():
                checksum = coder.small(), coder.bits(16)
                if checksum[0] >= count:
                    raise Drop("bad-message")
            if shared is not None and coder.flag():
                heads = self._uniform_heads(coder, count, shared)
            else:
                heads = self._listed_heads(coder, tick, count, shared)
        self._resolve_all(heads, tick)
        states = self._states(coder, tick, heads)
        coder.check_end()
        return self._take(tick, removed, states, checksum)

    def _count(self, coder, least):
        count = coder.small() + least
        if count > MOST:
            raise Drop("too-long")
        return count

    def _short_heads(self, coder, tick, count):
        heads, last = [], -1
        for _ in range(count):
            last += 1 + 4 * coder.small() + coder.bits(2)
            exponent = coder.bits(4)
            age = 2**exponent + coder.bits(exponent)
            coder.check_not_past()
            head = Head(last)
            head.ticks = [(tick - age) % 2**32, None, None]
            heads.append(head)
        return heads

    def _ownership(self, coder):
        return (coder.bits(16), coder.bits(8)) if coder.flag() else (0, 0)

    def _baselines(self, coder, tick):
        if not coder.flag():
            return None
        ticks = self._consecutive(coder, tick)
        if coder.flag():
            return ticks
        ticks[1] = ticks[2] = None
        for index in (1, 2):
            gap = coder.small()
            if gap == 0:
                break
            ticks[index] = (ticks[index - 1] - gap) % 2**32
        return ticks

    def _consecutive(self, coder, tick):
        newest = (tick - coder.small() - 1) % 2**32
        return [newest, (newest - 1) % 2**32, (newest - 2) % 2**32]

    def _removals(self, coder):
        if not coder.flag():
            return []
        count = coder.small()
        if count > MOST:
            raise Drop("too-long")
        removed = []
        for _ in range(count):
            # The flag says that the entity only left the view: the smallest client has no use for it.
            removed.append(coder.bits(16))
            coder.flag()
            coder.check_not_past()
        return removed

    def _uniform_heads(self, coder, count, ticks):
        first = coder.small()
        heads = [Head(first + index) for index in range(count)]
        for head in heads:
            head.ticks = ticks
        return heads

    def _resolve_all(self, heads, tick):
        columns = 0
        for head in heads:
            self._resolve(head, tick)
            columns += len(self.plans[head.kind].columns)
        if columns > MOST_COLUMNS:
            raise Drop("too-long")

    def _listed_heads(self, coder, tick, count, shared):
        heads, last, kind = [], -1, 0
        for _ in range(count):
            if coder.flag():
                last += 1
            else:
                last += 2 + coder.small()
            coder.check_not_past()
            head = Head(last)
            heads.append(head)
            head.ticks = shared
            if shared is not None and coder.flag():
                continue
            if shared is None or coder.flag():
                head.ticks = None
                if not coder.flag():
                    kind = coder.small()
                head.kind = kind
                head.owner, head.teleports = self._ownership(coder)
                continue
            if not coder.flag():
                head.ticks = self._baselines(coder, tick)
            if not coder.flag():
                head.owner, head.teleports = self._ownership(coder)
        return heads

    def _resolve(self, head, tick):
        """Completes a head with its known entity: kind, baselines, texts and owner."""
        if head.number > 65535:
            raise Drop("length")
        entity = self.entities.get(head.number)
        if head.ticks is None:
            if head.kind is None or head.kind >= len(self.plans):
                raise Drop("unknown-entity")
            ended = self.ended.get(head.number)
            if ended is not None and tick_difference(tick, ended) <= 0:
                raise Drop("outdated")
            return
        if entity is None:
            raise Drop("unknown-entity")
        head.kind = entity.kind
        found = [None if at is None else entity.row(at, self.history_ticks) for at in head.ticks]
        if any(row is None and at is not None for row, at in zip(found, head.ticks)):
            raise Drop("no-baseline")
        head.baselines = [None if kept is None else kept[0] for kept in found]
        head.texts = found[0][1]
        if head.owner is None:
            head.owner, head.teleports = head.baselines[0][:2]

    def _states(self, coder, tick, heads):
        rows = {
            head.number: RowReader(self.plans[head.kind], head.baselines, tick, head.ticks)
            for head in heads
            if head.ticks is not None
        }
        read_masks(coder, rows.values())
        states = []
        for head in heads:
            plan, owned = self.plans[head.kind], (head.owner, head.teleports)
            if head.ticks is None:
                row = list(owned) + [0] * (len(plan.columns) - 2)
                for group in plan.groups:
                    for column, index in zip(group.columns, group.indices):
                        row[index] = coder.wide(column.bits) + column.min
                texts = self._texts(coder, plan, [])
            else:
                row = rows[head.number].read(coder, owned)
                kept = zip(rows[head.number].texts, head.texts)
                texts = self._texts(coder, plan, [None if one.has_changed else before for one, before in kept])
            if any(not column.min <= value <= column.max for column, value in zip(plan.columns, row)):
                raise Drop("out-of-range")
            coder.check_not_past()
            states.append((head, row, texts))
        return states

    def _texts(self, coder, plan, before):
        texts = []
        for index, leaf in enumerate(plan.texts):
            if index < len(before) and before[index] is not None:
                texts.append(before[index])
                continue
            length = coder.bits(leaf.max_bytes.bit_length())
            if length > leaf.max_bytes:
                raise Drop("out-of-range")
            data = bytes(coder.bits(8) for _ in range(length))
            if leaf.kind == "string":
                try:
                    data.decode("utf-8")
                except UnicodeDecodeError:
                    raise Drop("out-of-range") from None
            texts.append(data)
        return texts

    def _take(self, tick, removed, states, checksum):
        for number in removed:
            entity = self.entities.get(number)
            ended = self.ended.get(number)
            if ended is None or tick_difference(tick, ended) > 0:
                self.ended[number] = tick
            if entity is not None and tick_difference(entity.newest, tick) <= 0:
                del self.entities[number]
        for head, row, texts in states:
            entity = self.entities.get(head.number)
            if entity is None or entity.kind != head.kind:
                entity = self.entities[head.number] = Entity(head.number, head.kind)
            entity.keep(tick, self.history_ticks, row, texts)
        desync = []
        if checksum is not None and checksum_of(states[checksum[0]][1]) != checksum[1]:
            desync.append(states[checksum[0]][0].number)
        return {
            "tick": tick,
            "removed": removed,
            "checksum": None if checksum is None else {"entity": states[checksum[0]][0].number, "agrees": not desync},
            "states": [self._said(head, row, texts) for head, row, texts in states],
        }

    def _said(self, head, row, texts):
        plan = self.plans[head.kind]
        values = plan.values(row)
        for leaf, data in zip(plan.texts, texts):
            values[leaf.path] = data.decode() if leaf.kind == "string" else {"$hex": data.hex()}
        return {
            "entity": head.number,
            "name": plan.definition.name,
            "baselines": None if head.ticks is None else [tick for tick in head.ticks if tick is not None],
            "owner": row[0],
            "teleports": row[1],
            "columns": row[2:],
            "values": values,
        }


def checksum_of(row):
    hashed = 0x811C9DC5
    for column in row:
        hashed = ((hashed ^ (column & 0xFFFFFFFF)) * 0x01000193) & 0xFFFFFFFF
        hashed ^= hashed >> 15
    return ((hashed >> 16) ^ hashed) & 0xFFFF
