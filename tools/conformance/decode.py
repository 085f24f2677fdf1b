#!/usr/bin/env python3
"""Decodes Paceline's packets, written from docs/WIRE-FORMAT.md and docs/STATE-CODEC.md alone.

It reads lines of JSON from stdin:

  {"definition": {"name": ..., "motion": ..., "fields": {...}}}    an entity of the game
  {"link": "a", "from": "server", "hex": "..."}                    a binary message of a WebSocket, from the
                                                                   "server" or the "participant"
  {"plan": {"name": ..., "tickHz": 30, "isFieldsOnly": true}}      from here on, bodies without packets:
  {"tick": 7, "hex": "..."}                                        states of that entity, in a stream of their own

and prints for each message one line per session that it belongs to, with the decoded content.
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
        """Returns the line to print."""
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
