export * from "./bytes/byte-reader.js";
export * from "./bytes/byte-writer.js";
export * from "./bytes/plain-data.js";
export * from "./bytes/sequence.js";
export * from "./bytes/utf8.js";
export { isFields } from "./bytes/fields.js";
export * as shapes from "./bytes/shape.js";
export {
  decodeValue,
  encodeItems,
  encodeItemsAfter,
  encodeValue,
  smallCodec,
  useValueCodec,
} from "./bytes/value-codec.js";
export { Collection, CollectionBudget } from "./collections/collection.js";
export { list, map } from "./collections/collection-fields.js";
export { CollectionReader } from "./collections/collection-reader.js";
export {
  CollectionSender,
  type CollectionMessage,
  type HeldCollections,
} from "./collections/collection-sender.js";
export { listCode } from "./collections/collection-code.js";
export { newCollections, type OwnCollections } from "./collections/collections.js";
export { ItemList, type ReadonlyItemList } from "./collections/item-list.js";
export { ItemMap, type ReadonlyItemMap } from "./collections/item-map.js";
export * from "./errors/error-codes.js";
export * from "./errors/errors.js";
export * from "./errors/option-checks.js";
export {
  INPUT_COLUMNS,
  readInputs,
  roundInput,
  writeInputs,
  type InputColumns,
} from "./input/input-codec.js";
export * from "./input/input-definition.js";
export * from "./input/input-feedback.js";
export type { Component, Leaf } from "./schema/entity-components.js";
export {
  bytes,
  type BytesField,
  enumOf,
  type EnumField,
  group,
  type GroupField,
  type GrowingListField,
  type ListField,
  type MapField,
  string,
  type StringField,
} from "./schema/entity-composites.js";
export {
  defineEntity,
  type EntityDefinition,
  type EntityOptions,
  type Fields,
  hashOf,
  type StepFunction,
  type StepState,
} from "./schema/entity-definition.js";
export {
  angle,
  type AngleField,
  type Field,
  flag,
  type FlagField,
  int,
  type IntField,
  quat,
  type QuatField,
  type Range,
  scalar,
  type ScalarField,
  uint,
  type UintField,
  vec2,
  type Vec2Field,
  vec3,
  type Vec3Field,
} from "./schema/entity-fields.js";
export type { ValueOf } from "./schema/entity-values.js";
export { type MotionLayout, type MotionModel, usedMotions } from "./schema/motion-layout.js";
export { BitCoder } from "./state/codec/bit-coder.js";
export { PacketEntries } from "./state/codec/packet-entries.js";
export { LONGEST, MOVES, prefixTables, SIZES, TABLES, TOKENS } from "./state/codec/prefix-tables.js";
export { OUT_OF_VIEW } from "./state/codec/packet-head.js";
export * from "./state/codec/state-codec.js";
export * from "./state/columns/entity-rows.js";
export * from "./state/columns/quantiser.js";
export { HISTORY_TICKS, StateHistory } from "./state/columns/state-history.js";
export { FIRST_FIELD_COLUMN, OWNER_COLUMN, planState, type StatePlan } from "./state/columns/state-plan.js";
export { stateWeight, wholeStateBits } from "./state/columns/state-size.js";
export { describeColumns, matchColumns, MAX_COLUMN_BYTES } from "./state/columns/stream-columns.js";
export * from "./state/read/snapshot-reader.js";
export { Receiver } from "./state/send/receiver.js";
export { withoutTicksAfter } from "./state/send/tick-window.js";
export { SoleReceiver } from "./state/send/sole-receiver.js";
export type { GroupStates } from "./state/send/cohort.js";
export { ReceiverGroup } from "./state/send/receiver-group.js";
export * from "./state/send/snapshot-writer.js";
export * from "./state/whole-state.js";
export * from "./wire/authority-message.js";
export * from "./wire/close-codes.js";
export {
  type AuthorityInfo,
  type ClientMessage,
  type IceServer,
  type KindInfo,
  MAX_KINDS,
  type PeerInfo,
  readClientMessage,
  readServerMessage,
  SERVER_NUMBER,
  type ServerMessage,
} from "./wire/control.js";
export * from "./wire/cell-envelope.js";
export { GROUND_CELLS, cellNumber, writeView, readView } from "./wire/cells.js";
export {
  downwardOf,
  readEnvelope,
  readPayloads,
  routedClassOf,
  writeEnvelope,
  writeEnvelopeHead,
  writePayloads,
  type Envelope,
  type Subject,
} from "./wire/envelope.js";
export {
  type Group,
  isBuild,
  LINK_PATH,
  type ListAnswer,
  type MatchAnswer,
  type MatchBody,
  type MatchedSeat,
  type MatchMethod,
  matchMethods,
  type MatchRefusal,
  matchRefusalCodes,
  MAX_GROUP_SIZE,
  MAX_MATCH_TOKEN_CHARACTERS,
  optionsProblem,
  type RefusalAnswer,
  type RoomListing,
  type RoomOptions,
  type SeatClaim,
} from "./wire/match.js";
export * from "./wire/message-kinds.js";
export * from "./wire/message.js";
export * from "./wire/packet.js";
export * from "./wire/payload.js";
export type {
  AnswerOf,
  AskOf,
  Directed,
  JoinOptionsOf,
  MessagesToClients,
  MessagesToServer,
  RequestsOf,
  RoomKind,
  RoomTypes,
  ServerTypes,
} from "./wire/room-types.js";
export * from "./wire/slot.js";
export * from "./drop-reasons.js";
export * from "./limits.js";
