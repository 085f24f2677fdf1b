#!/usr/bin/env python3
"""Reads what Paceline sends, written from docs/WIRE-FORMAT.md and docs/STATE-CODEC.md alone.

Lines of JSON come in at stdin:

  {"definition": {"name": ..., "motion": ..., "fields": {...}}}    an entity that the game knows
  {"link": "a", "from": "server", "hex": "..."}                    a binary message of a WebSocket, from the
                                                                   "server" or the "participant"
  {"plan": {"name": ..., "tickHz": 30, "isFieldsOnly": true}}      from here on, bodies without packets:
  {"tick": 7, "hex": "..."}                                        states of that entity, in a stream of their own

and for each message one line goes out per session that it belongs to, with all that it says.
"""
import json
import sys

from byte_reader import Drop
from columns import Plan
from definitions import Definition
from sessions import Link
from states import StateReader


class Decoder:
    def __init__(self):
        self.definitions, self.links, self.states = {}, {}, None

    def line(self, said):
        """What is to be printed."""
        if "definition" in said:
            definition = Definition(**said["definition"])
            self.definitions[definition.name] = definition
            return []
        if "plan" in said:
            plan = said["plan"]
            definition = self.definitions[plan["name"]]
            self.states = StateReader([Plan(definition, plan["tickHz"], not plan.get("isFieldsOnly"))])
            return []
        data = bytes.fromhex(said["hex"])
        try:
            if "link" not in said:
                return [self.states.read(data, said["tick"])]
            link = self.links.setdefault(said["link"], Link(self.definitions))
            return [{"link": said["link"], **one} for one in link.read(said["from"], data)]
        except Drop as drop:
            return [{"link": said.get("link"), "from": said.get("from"), "drop": drop.reason}]


def main():
    decoder = Decoder()
    for text in sys.stdin:
        for said in decoder.line(json.loads(text)):
            print(json.dumps(said))


if __name__ == "__main__":
    main()
