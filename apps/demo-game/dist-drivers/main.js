import { createRequire } from "node:module";
import { createRequire as createRequire$1 } from "module";
// \0rolldown/runtime.js
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __esmMin = (fn, res, err) => () => {
	if (err) throw err[0];
	try {
		return fn && (res = fn(fn = 0)), res;
	} catch (e) {
		throw err = [e], e;
	}
};
var __commonJSMin = (cb, mod) => () => (mod || (cb((mod = { exports: {} }).exports, mod, mod.exports), cb = null), mod.exports);
var __exportAll = (all, no_symbols) => {
	let target = {};
	for (var name in all) __defProp(target, name, {
		get: all[name],
		enumerable: true
	});
	if (!no_symbols) __defProp(target, Symbol.toStringTag, { value: "Module" });
	return target;
};
var __copyProps = (to, from, except, desc) => {
	if (from && typeof from === "object" || typeof from === "function") for (var keys = __getOwnPropNames(from), i = 0, n = keys.length, key; i < n; i++) {
		key = keys[i];
		if (!__hasOwnProp.call(to, key) && key !== except) __defProp(to, key, {
			get: ((k) => from[k]).bind(null, key),
			enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable
		});
	}
	return to;
};
var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(isNodeMode || !mod || !mod.__esModule || !__hasOwnProp.call(mod, "default") ? __defProp(target, "default", {
	value: mod,
	enumerable: true
}) : target, mod));
var __toCommonJS = (mod) => __hasOwnProp.call(mod, "module.exports") ? mod["module.exports"] : __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var __require = /* #__PURE__ */ (() => createRequire(import.meta.url))();
// ../../packages/protocol/src/utf8.ts
var encoder = new TextEncoder();
var decoder$1 = new TextDecoder("utf-8", {
	fatal: true,
	ignoreBOM: true
});
function encodeUtf8(text) {
	return encoder.encode(text);
}
/** Undefined where the bytes are not UTF-8. */
function decodeUtf8(bytes) {
	try {
		return decoder$1.decode(bytes);
	} catch {
		return;
	}
}
// ../../packages/protocol/src/byte-reader.ts
var NOTHING = /* @__PURE__ */ new Uint8Array(0);
/**
* Reads little-endian values from bytes of the network. It never throws: a read past the end, an overlong varint
* or broken UTF-8 gives zero (or nothing) and turns `ok` false for good. Check `ok` before using what was read.
*/
var ByteReader = class {
	#bytes;
	#data;
	#at = 0;
	#ok = true;
	constructor(bytes) {
		this.#bytes = bytes;
		this.#data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	}
	/** False once any read has failed. */
	get ok() {
		return this.#ok;
	}
	get remaining() {
		return this.#bytes.length - this.#at;
	}
	u8() {
		const at = this.#claim(1);
		return at < 0 ? 0 : this.#bytes[at] ?? 0;
	}
	u16() {
		const at = this.#claim(2);
		return at < 0 ? 0 : this.#data.getUint16(at, true);
	}
	u32() {
		const at = this.#claim(4);
		return at < 0 ? 0 : this.#data.getUint32(at, true);
	}
	f32() {
		const at = this.#claim(4);
		return at < 0 ? 0 : this.#data.getFloat32(at, true);
	}
	/** LEB128 of 1 to 3 bytes; a longer or not shortest encoding fails, so that every value has one encoding. */
	varint() {
		let value = 0;
		for (let shift = 0; shift < 21; shift += 7) {
			const byte = this.u8();
			value |= (byte & 127) << shift;
			if (byte < 128) {
				if (byte === 0 && shift > 0) this.#ok = false;
				return this.#ok ? value : 0;
			}
		}
		this.#ok = false;
		return 0;
	}
	/** A view of the next `count` bytes, not a copy. */
	bytes(count) {
		const at = this.#claim(count);
		return at < 0 ? NOTHING : this.#bytes.subarray(at, at + count);
	}
	rest() {
		return this.bytes(this.remaining);
	}
	text(maxBytes) {
		const length = this.varint();
		if (length > maxBytes) this.#ok = false;
		const encoded = this.bytes(length);
		const decoded = this.#ok ? decodeUtf8(encoded) : void 0;
		if (decoded === void 0) this.#ok = false;
		return decoded ?? "";
	}
	#claim(count) {
		if (!this.#ok || count < 0 || this.#at + count > this.#bytes.length) {
			this.#ok = false;
			return -1;
		}
		const at = this.#at;
		this.#at += count;
		return at;
	}
};
// ../../packages/protocol/src/byte-writer.ts
/**
* Writes little-endian values into a buffer that grows. One writer is kept and reused (`reset`), so that writing
* allocates nothing in steady state. `take` copies; `view` does not and is valid until the next write or reset.
*/
var ByteWriter = class {
	#bytes;
	#data;
	#length = 0;
	constructor(capacityBytes = 256) {
		this.#bytes = new Uint8Array(capacityBytes);
		this.#data = new DataView(this.#bytes.buffer);
	}
	get length() {
		return this.#length;
	}
	reset() {
		this.#length = 0;
		return this;
	}
	view() {
		return this.#bytes.subarray(0, this.#length);
	}
	take() {
		return this.#bytes.slice(0, this.#length);
	}
	u8(value) {
		const at = this.#claim(1);
		this.#bytes[at] = value;
		return this;
	}
	u16(value) {
		const at = this.#claim(2);
		this.#data.setUint16(at, value, true);
		return this;
	}
	u32(value) {
		const at = this.#claim(4);
		this.#data.setUint32(at, value, true);
		return this;
	}
	f32(value) {
		const at = this.#claim(4);
		this.#data.setFloat32(at, value, true);
		return this;
	}
	/** LEB128, 1 to 3 bytes; values from 0 to 2^21 - 1. The encoding is the shortest one. */
	varint(value) {
		let rest = value;
		while (rest > 127) {
			this.u8(rest & 127 | 128);
			rest >>>= 7;
		}
		return this.u8(rest);
	}
	bytes(value) {
		const at = this.#claim(value.length);
		this.#bytes.set(value, at);
		return this;
	}
	/** UTF-8 with its length in bytes before it. */
	text(value) {
		const encoded = encodeUtf8(value);
		return this.varint(encoded.length).bytes(encoded);
	}
	#claim(count) {
		const at = this.#length;
		this.#length = at + count;
		if (this.#length > this.#bytes.length) this.#grow();
		return at;
	}
	#grow() {
		const larger = new Uint8Array(Math.max(this.#length, this.#bytes.length * 2));
		larger.set(this.#bytes);
		this.#bytes = larger;
		this.#data = new DataView(larger.buffer);
	}
};
/** WebSocket subprotocol that names format and version. */
var WEBSOCKET_PROTOCOL = `paceline.1`;
/** Kinds of messages inside a packet. */
var MessageKind = {
	/** Newest-wins states of entities. */
	state: 1,
	/** A numbered message that arrives exactly once and in order. */
	reliable: 2,
	/** A message that may be lost. */
	event: 3,
	/** Asks for a pong on the same link. */
	ping: 16,
	pong: 17,
	/** The other side ends the session; carries a close code and a reason. */
	close: 18
};
/** What a reliable message carries. */
var PayloadKind = {
	/** Between a participant and the server: a control message (msgpack). */
	control: 1,
	/** A game's message: `[type, message]` (msgpack). */
	command: 2,
	/** `[id, type, message]` (msgpack), answered by a reply. */
	request: 3,
	/** `[id, ok, message]` (msgpack). */
	reply: 4,
	/** An entity begins: local id, definition, first state (binary). */
	spawn: 5,
	/** An entity ends: local id (binary). */
	despawn: 6
};
/** Classes of traffic; the number stands in the routing envelope so that a relay can treat each as it needs. */
var TrafficClass = {
	state: 0,
	reference: 1,
	event: 2,
	command: 3,
	input: 4,
	bulk: 5
};
/** Close codes of links and sessions (WebSocket private range: 4000 to 4999). */
var CloseCode = {
	/** Left on purpose. */
	left: 4e3,
	/** The server is shutting down. */
	serverShutdown: 4001,
	/** The other side fell silent beyond the deadline. */
	timeout: 4002,
	/** A newer link of the same session took over. */
	replaced: 4003,
	/** The game or an operator removed the participant. */
	kicked: 4004,
	/** No ticket or token, or one that is not ours. */
	refused: 4100,
	/** The seat ticket's time is over. */
	ticketExpired: 4101,
	/** The seat ticket was used before. */
	ticketUsed: 4102,
	/** The session is not known (any more). */
	sessionUnknown: 4103,
	/** The page's origin is not allowed. */
	originRefused: 4104,
	/** The other side speaks another version. */
	versionMismatch: 4105,
	/** Bytes that make no sense, repeatedly. */
	protocolViolation: 4200,
	/** More packets or bytes per second than allowed, sustained. */
	flooding: 4201,
	/** Does not take what is sent to it; its queue is full. */
	tooSlow: 4202
};
/** Codes of {@link NetError}, with what they mean; docs/ERRORS.md is made from this table. */
var errorCodes = {
	"match/unreachable": "The server did not answer the match request.",
	"match/unknown-room": "The server has no kind of room of that name.",
	"match/not-found": "No room fits: none is open (join), or none has that id (joinById).",
	"match/full": "The room, or the server, takes nobody more.",
	"match/bad-request": "The server refused the request as malformed.",
	"match/rate-limited": "Too many match requests from this address; try again later.",
	"match/bad-answer": "The server's answer makes no sense: is it a Paceline server of this version?",
	"session/refused": "The server refused the ticket or token.",
	"session/expired": "The ticket's time was over, or it was used before, or the server has forgotten the session.",
	"session/origin": "The server does not allow this page's origin.",
	"session/version": "Client and server speak different versions of the protocol.",
	"session/ended": "The session has ended; the room cannot be used any more.",
	"session/timeout": "The link did not open, or no welcome came, within the deadline.",
	"transport/unavailable": "The environment has none of the transports that are allowed.",
	"transport/closed": "The link closed before the operation ended.",
	"limit/message-size": "A message is larger than one packet may be.",
	"limit/queue": "Too many reliable messages wait for an acknowledgement.",
	"limit/entities": "A participant may not own more entities.",
	"request/timeout": "The peer did not answer the request in time.",
	"request/refused": "The peer has no handler for this request, or its handler failed.",
	"schema/mismatch": "Two builds of the game describe an entity differently."
};
/** Limits that both sides keep; each is a test. */
var limits = {
	/** What fits every path without fragmentation: unreliable packets stay below. */
	unreliablePacketBytes: 1200,
	/** The largest packet on a reliable channel; the portable size of a data channel message. */
	reliablePacketBytes: 16384,
	/** Routing envelope around a packet: flags, class, key, count and up to 64 targets. */
	envelopeTargets: 64,
	/** Reliable messages that may wait for an acknowledgement. */
	unacknowledgedMessages: 1024,
	/** Reliable messages that a receiver keeps while an earlier one is missing. */
	outOfOrderMessages: 1024,
	/** Entities that one participant may own. */
	ownedEntities: 4096,
	/** UTF-8 bytes of a message type or an entity name. */
	nameBytes: 64,
	/** Depth of nesting in a msgpack value. */
	nestingDepth: 8
};
/** Why a packet or a message was dropped; the keys of the drop counters. */
var dropReasons = [
	"too-short",
	"too-long",
	"version",
	"flags",
	"length",
	"unknown-kind",
	"duplicate",
	"outdated",
	"bad-message",
	"unknown-entity",
	"out-of-range",
	"not-routable",
	"rate-limit",
	"queue-full",
	"gap-too-large"
];
// ../../node_modules/.pnpm/msgpackr@2.1.3/node_modules/msgpackr/unpack.js
var decoder;
try {
	decoder = new TextDecoder();
} catch (error) {}
var src;
var srcEnd;
var position$1 = 0;
var EMPTY_ARRAY = [];
var EXTRACTION_FAILED = [];
var strings = EMPTY_ARRAY;
var stringPosition = 0;
var currentUnpackr = {};
var currentStructures;
var srcString;
var srcStringStart = 0;
var srcStringEnd = 0;
var bundledStrings$1;
var referenceMap;
var currentExtensions = [];
var dataView;
var arrayAllocationBudget;
var defaultOptions = {
	useRecords: false,
	mapsAsObjects: true
};
var C1Type = class {};
var C1 = new C1Type();
C1.name = "MessagePack 0xC1";
var sequentialMode = false;
var inlineObjectReadThreshold = 2;
var Unpackr = class Unpackr {
	constructor(options) {
		if (options) {
			if (options.useRecords === false && options.mapsAsObjects === void 0) options.mapsAsObjects = true;
			if (options.sequential && options.trusted !== false) {
				options.trusted = true;
				if (!options.structures && options.useRecords != false) {
					options.structures = [];
					if (!options.maxSharedStructures) options.maxSharedStructures = 0;
				}
			}
			if (options.structures) options.structures.sharedLength = options.structures.length;
			else if (options.getStructures) {
				(options.structures = []).uninitialized = true;
				options.structures.sharedLength = 0;
			}
			if (options.int64AsNumber) options.int64AsType = "number";
		}
		Object.assign(this, options);
	}
	unpack(source, options) {
		if (src) return saveState(() => {
			clearSource();
			try {
				return this ? this.unpack(source, options) : Unpackr.prototype.unpack.call(defaultOptions, source, options);
			} catch (error) {
				if (error && typeof error == "object") nestedUnpackErrors.add(error);
				throw error;
			}
		});
		if (!source.buffer && source.constructor === ArrayBuffer) source = typeof Buffer !== "undefined" ? Buffer.from(source) : new Uint8Array(source);
		if (typeof options === "object") {
			srcEnd = options.end || source.length;
			position$1 = options.start || 0;
		} else {
			position$1 = 0;
			srcEnd = options > -1 ? options : source.length;
		}
		if (srcEnd > source.length) srcEnd = source.length;
		stringPosition = 0;
		srcStringEnd = 0;
		srcString = null;
		strings = EMPTY_ARRAY;
		bundledStrings$1 = null;
		src = source;
		try {
			dataView = source.dataView || (source.dataView = new DataView(source.buffer, source.byteOffset, source.byteLength));
		} catch (error) {
			src = null;
			if (source instanceof Uint8Array) throw error;
			throw new Error("Source must be a Uint8Array or Buffer but was a " + (source && typeof source == "object" ? source.constructor.name : typeof source));
		}
		if (this instanceof Unpackr) {
			currentUnpackr = this;
			if (this.structures) {
				currentStructures = this.structures;
				return checkedRead(options);
			} else if (!currentStructures || currentStructures.length > 0) currentStructures = [];
		} else {
			currentUnpackr = defaultOptions;
			if (!currentStructures || currentStructures.length > 0) currentStructures = [];
		}
		return checkedRead(options);
	}
	unpackMultiple(source, forEach) {
		let values, lastPosition = 0;
		try {
			sequentialMode = true;
			let size = source.length;
			let value = this ? this.unpack(source, size) : defaultUnpackr.unpack(source, size);
			if (forEach) {
				if (forEach(value, lastPosition, position$1) === false) return;
				while (position$1 < size) {
					lastPosition = position$1;
					if (forEach(checkedRead(), lastPosition, position$1) === false) return;
				}
			} else {
				values = [value];
				while (position$1 < size) {
					lastPosition = position$1;
					values.push(checkedRead());
				}
				return values;
			}
		} catch (error) {
			error.lastPosition = lastPosition;
			error.values = values;
			throw error;
		} finally {
			sequentialMode = false;
			clearSource();
		}
	}
	_mergeStructures(loadedStructures, existingStructures) {
		if (this._onLoadedStructures) loadedStructures = this._onLoadedStructures(loadedStructures);
		loadedStructures = loadedStructures || [];
		if (Object.isFrozen(loadedStructures)) loadedStructures = loadedStructures.map((structure) => structure.slice(0));
		for (let i = 0, l = loadedStructures.length; i < l; i++) {
			let structure = loadedStructures[i];
			if (structure) {
				structure.isShared = true;
				if (i >= 32) structure.highByte = i - 32 >> 5;
			}
		}
		loadedStructures.sharedLength = loadedStructures.length;
		for (let id in existingStructures || []) if (id >= 0) {
			let structure = loadedStructures[id];
			let existing = existingStructures[id];
			if (existing) {
				if (structure) (loadedStructures.restoreStructures || (loadedStructures.restoreStructures = []))[id] = structure;
				loadedStructures[id] = existing;
			}
		}
		return this.structures = loadedStructures;
	}
	decode(source, options) {
		return this.unpack(source, options);
	}
};
var nestedUnpackErrors = /* @__PURE__ */ new WeakSet();
function checkedRead(options) {
	try {
		if (!currentUnpackr.trusted && !sequentialMode) {
			let sharedLength = currentStructures.sharedLength || 0;
			if (sharedLength < currentStructures.length) currentStructures.length = sharedLength;
		}
		let result;
		arrayAllocationBudget = srcEnd - position$1;
		if (currentUnpackr._readStruct && src[position$1] < 64 && src[position$1] >= 32) {
			result = currentUnpackr._readStruct(src, position$1, srcEnd);
			src = null;
			if (!(options && options.lazy) && result) result = result.toJSON();
			position$1 = srcEnd;
		} else result = read();
		if (bundledStrings$1) {
			position$1 = bundledStrings$1.postBundlePosition;
			bundledStrings$1 = null;
		}
		if (sequentialMode) currentStructures.restoreStructures = null;
		if (position$1 == srcEnd) {
			if (currentStructures && currentStructures.restoreStructures) restoreStructures();
			currentStructures = null;
			src = null;
			if (referenceMap) referenceMap = null;
		} else if (position$1 > srcEnd) throw new Error("Unexpected end of MessagePack data");
		else if (!sequentialMode) {
			let jsonView;
			try {
				jsonView = JSON.stringify(result, (_, value) => typeof value === "bigint" ? `${value}n` : value).slice(0, 100);
			} catch (error) {
				jsonView = "(JSON view not available " + error + ")";
			}
			throw new Error("Data read, but end of buffer not reached " + jsonView);
		}
		return result;
	} catch (error) {
		if (currentStructures && currentStructures.restoreStructures) restoreStructures();
		clearSource();
		classifyIncomplete(error);
		throw error;
	}
}
function classifyIncomplete(error) {
	if (!error || typeof error != "object") return;
	if (position$1 > srcEnd) error.incomplete = true;
	else if (nestedUnpackErrors.has(error)) {
		if (error.incomplete) error.incomplete = false;
	} else if (error instanceof RangeError && position$1 + 8 > srcEnd || typeof error.message == "string" && error.message.startsWith("Unexpected end of buffer")) error.incomplete = true;
}
function restoreStructures() {
	for (let id in currentStructures.restoreStructures) currentStructures[id] = currentStructures.restoreStructures[id];
	currentStructures.restoreStructures = null;
}
function read() {
	let token = src[position$1++];
	if (token < 160) {
		if (token < 128) {
			if (token < 64) return token;
			else {
				let structure = currentStructures[token & 63] || currentUnpackr.getStructures && loadStructures()[token & 63];
				if (structure) {
					if (!structure.read) structure.read = createStructureReader(structure, token & 63);
					return structure.read();
				} else return token;
			}
		} else if (token < 144) {
			token -= 128;
			if (currentUnpackr.mapsAsObjects) {
				let object = {};
				for (let i = 0; i < token; i++) {
					let key = readKey();
					if (key === "__proto__") key = "__proto_";
					object[key] = read();
				}
				return object;
			} else {
				let map = /* @__PURE__ */ new Map();
				for (let i = 0; i < token; i++) map.set(read(), read());
				return map;
			}
		} else {
			token -= 144;
			let array = new Array(token);
			for (let i = 0; i < token; i++) array[i] = read();
			if (currentUnpackr.freezeData) return Object.freeze(array);
			return array;
		}
	} else if (token < 192) {
		let length = token - 160;
		if (srcStringEnd >= position$1) return srcString.slice(position$1 - srcStringStart, (position$1 += length) - srcStringStart);
		if (srcStringEnd == 0 && srcEnd < 140) {
			let string = length < 16 ? shortStringInJS(length) : longStringInJS(length);
			if (string != null) return string;
		}
		return readFixedString(length);
	} else {
		let value;
		switch (token) {
			case 192: return null;
			case 193:
				if (bundledStrings$1) {
					value = read();
					if (value > 0) return bundledStrings$1[1].slice(bundledStrings$1.position1, bundledStrings$1.position1 += value);
					else return bundledStrings$1[0].slice(bundledStrings$1.position0, bundledStrings$1.position0 -= value);
				}
				return C1;
			case 194: return false;
			case 195: return true;
			case 196:
				value = src[position$1++];
				if (value === void 0) throw new Error("Unexpected end of buffer");
				return readBin(value);
			case 197:
				value = dataView.getUint16(position$1);
				position$1 += 2;
				if (value > srcEnd - position$1) throw endOfMessagePackError(position$1 + value);
				return readBin(value);
			case 198:
				value = dataView.getUint32(position$1);
				position$1 += 4;
				if (value > srcEnd - position$1) throw endOfMessagePackError(position$1 + value);
				return readBin(value);
			case 199: return readExt(src[position$1++]);
			case 200:
				value = dataView.getUint16(position$1);
				position$1 += 2;
				return readExt(value);
			case 201:
				value = dataView.getUint32(position$1);
				position$1 += 4;
				return readExt(value);
			case 202:
				value = dataView.getFloat32(position$1);
				if (currentUnpackr.useFloat32 > 2) {
					let multiplier = mult10[(src[position$1] & 127) << 1 | src[position$1 + 1] >> 7];
					position$1 += 4;
					return (multiplier * value + (value > 0 ? .5 : -.5) >> 0) / multiplier;
				}
				position$1 += 4;
				return value;
			case 203:
				value = dataView.getFloat64(position$1);
				position$1 += 8;
				return value;
			case 204: return src[position$1++];
			case 205:
				value = dataView.getUint16(position$1);
				position$1 += 2;
				return value;
			case 206:
				value = dataView.getUint32(position$1);
				position$1 += 4;
				return value;
			case 207:
				if (currentUnpackr.int64AsType === "number") {
					value = dataView.getUint32(position$1) * 4294967296;
					value += dataView.getUint32(position$1 + 4);
				} else if (currentUnpackr.int64AsType === "string") value = dataView.getBigUint64(position$1).toString();
				else if (currentUnpackr.int64AsType === "auto") {
					value = dataView.getBigUint64(position$1);
					if (value <= BigInt(2) << BigInt(52)) value = Number(value);
				} else value = dataView.getBigUint64(position$1);
				position$1 += 8;
				return value;
			case 208: return dataView.getInt8(position$1++);
			case 209:
				value = dataView.getInt16(position$1);
				position$1 += 2;
				return value;
			case 210:
				value = dataView.getInt32(position$1);
				position$1 += 4;
				return value;
			case 211:
				if (currentUnpackr.int64AsType === "number") {
					value = dataView.getInt32(position$1) * 4294967296;
					value += dataView.getUint32(position$1 + 4);
				} else if (currentUnpackr.int64AsType === "string") value = dataView.getBigInt64(position$1).toString();
				else if (currentUnpackr.int64AsType === "auto") {
					value = dataView.getBigInt64(position$1);
					if (value >= BigInt(-2) << BigInt(52) && value <= BigInt(2) << BigInt(52)) value = Number(value);
				} else value = dataView.getBigInt64(position$1);
				position$1 += 8;
				return value;
			case 212:
				value = src[position$1++];
				if (value == 114) return recordDefinition(src[position$1++] & 63);
				else {
					let extension = currentExtensions[value];
					if (extension) {
						if (extension.read) {
							position$1++;
							return extension.read(read());
						} else if (extension.noBuffer) {
							position$1++;
							return extension();
						} else {
							if (position$1 >= srcEnd) throw endOfMessagePackError();
							return extension(src.subarray(position$1, ++position$1));
						}
					} else throw new Error("Unknown extension " + value);
				}
			case 213:
				value = src[position$1];
				if (value == 114) {
					position$1++;
					return recordDefinition(src[position$1++] & 63, src[position$1++]);
				} else return readExt(2);
			case 214: return readExt(4);
			case 215: return readExt(8);
			case 216: return readExt(16);
			case 217:
				value = src[position$1++];
				if (srcStringEnd >= position$1) return srcString.slice(position$1 - srcStringStart, (position$1 += value) - srcStringStart);
				return readString8(value);
			case 218:
				value = dataView.getUint16(position$1);
				position$1 += 2;
				if (value > srcEnd - position$1) throw endOfMessagePackError(position$1 + value);
				if (srcStringEnd >= position$1) return srcString.slice(position$1 - srcStringStart, (position$1 += value) - srcStringStart);
				return readString16(value);
			case 219:
				value = dataView.getUint32(position$1);
				position$1 += 4;
				if (value > srcEnd - position$1) throw endOfMessagePackError(position$1 + value);
				if (srcStringEnd >= position$1) return srcString.slice(position$1 - srcStringStart, (position$1 += value) - srcStringStart);
				return readString32(value);
			case 220:
				value = dataView.getUint16(position$1);
				position$1 += 2;
				return readArray(value);
			case 221:
				value = dataView.getUint32(position$1);
				position$1 += 4;
				return readArray(value);
			case 222:
				value = dataView.getUint16(position$1);
				position$1 += 2;
				return readMap(value);
			case 223:
				value = dataView.getUint32(position$1);
				position$1 += 4;
				return readMap(value);
			default:
				if (token >= 224) return token - 256;
				if (token === void 0) throw endOfMessagePackError();
				throw new Error("Unknown MessagePack token " + token);
		}
	}
}
var validName = /^[a-zA-Z_$][a-zA-Z\d_$]*$/;
function createStructureReader(structure, firstId) {
	function readObject() {
		if (readObject.count++ > inlineObjectReadThreshold) {
			let optimizedReadObject;
			try {
				optimizedReadObject = structure.read = new Function("r", "return function(){return " + (currentUnpackr.freezeData ? "Object.freeze" : "") + "({" + structure.map((key) => key === "__proto__" ? "__proto_:r()" : validName.test(key) ? key + ":r()" : "[" + JSON.stringify(key) + "]:r()").join(",") + "})}")(read);
			} catch (error) {
				inlineObjectReadThreshold = Infinity;
				return readObject();
			}
			structure.read0 = optimizedReadObject;
			if (structure.highByte === 0) structure.read = createSecondByteReader(firstId, structure.read);
			return optimizedReadObject();
		}
		let object = {};
		for (let i = 0, l = structure.length; i < l; i++) {
			let key = structure[i];
			if (key === "__proto__") key = "__proto_";
			object[key] = read();
		}
		if (currentUnpackr.freezeData) return Object.freeze(object);
		return object;
	}
	readObject.count = 0;
	structure.read0 = readObject;
	if (structure.highByte === 0) return createSecondByteReader(firstId, readObject);
	return readObject;
}
var createSecondByteReader = (firstId, read0) => {
	return function() {
		let highByte = src[position$1++];
		if (highByte === 0) return read0();
		let id = firstId < 32 ? -(firstId + (highByte << 5)) : firstId + (highByte << 5);
		let structure = currentStructures[id] || loadStructures()[id];
		if (!structure) throw new Error("Record id is not defined for " + id);
		if (!structure.read) structure.read = createStructureReader(structure, firstId);
		return structure.read();
	};
};
function loadStructures() {
	let loadedStructures = saveState(() => {
		src = null;
		return currentUnpackr.getStructures();
	});
	return currentStructures = currentUnpackr._mergeStructures(loadedStructures, currentStructures);
}
var readFixedString = readStringJS;
var readString8 = readStringJS;
var readString16 = readStringJS;
var readString32 = readStringJS;
function setExtractor(extractStrings) {
	readFixedString = readString(1);
	readString8 = readString(2);
	readString16 = readString(3);
	readString32 = readString(5);
	function tryExtractStrings(start, end, buffer) {
		try {
			return extractStrings(start, end, buffer);
		} catch (error) {
			return EXTRACTION_FAILED;
		}
	}
	function readString(headerLength) {
		return function readString(length) {
			let string = strings[stringPosition++];
			if (string == null) {
				if (bundledStrings$1 || strings === EXTRACTION_FAILED) return readStringJS(length);
				let byteOffset = src.byteOffset;
				let extraction = tryExtractStrings(position$1 - headerLength + byteOffset, srcEnd + byteOffset, src.buffer);
				if (extraction === EXTRACTION_FAILED) {
					strings = EXTRACTION_FAILED;
					return readStringJS(length);
				}
				if (typeof extraction == "string") {
					string = extraction;
					strings = EMPTY_ARRAY;
				} else {
					strings = extraction;
					stringPosition = 1;
					srcStringEnd = 1;
					string = strings[0];
					if (string === void 0) throw new Error("Unexpected end of buffer");
				}
			}
			let srcStringLength = string.length;
			if (srcStringLength <= length) {
				position$1 += length;
				return string;
			}
			srcString = string;
			srcStringStart = position$1;
			srcStringEnd = position$1 + srcStringLength;
			position$1 += length;
			return string.slice(0, length);
		};
	}
}
function readStringJS(length) {
	let result;
	if (length < 16) {
		if (result = shortStringInJS(length)) return result;
	}
	if (length > 64 && decoder) return decoder.decode(src.subarray(position$1, position$1 += length));
	const end = position$1 + length;
	const units = [];
	result = "";
	while (position$1 < end) {
		const byte1 = src[position$1++];
		if ((byte1 & 128) === 0) units.push(byte1);
		else if ((byte1 & 224) === 192) {
			if (byte1 < 194 || position$1 >= end || (src[position$1] & 192) !== 128) units.push(65533);
			else {
				const byte2 = src[position$1++] & 63;
				units.push((byte1 & 31) << 6 | byte2);
			}
		} else if ((byte1 & 240) === 224) {
			const byte2 = position$1 < end ? src[position$1] : 0;
			if (position$1 >= end || (byte2 & 192) !== 128 || byte1 === 224 && byte2 < 160 || byte1 === 237 && byte2 >= 160) units.push(65533);
			else {
				position$1++;
				if (position$1 >= end || (src[position$1] & 192) !== 128) units.push(65533);
				else {
					const byte3 = src[position$1++] & 63;
					units.push((byte1 & 31) << 12 | (byte2 & 63) << 6 | byte3);
				}
			}
		} else if ((byte1 & 248) === 240) {
			const byte2 = position$1 < end ? src[position$1] : 0;
			if (byte1 > 244 || position$1 >= end || (byte2 & 192) !== 128 || byte1 === 240 && byte2 < 144 || byte1 === 244 && byte2 >= 144) units.push(65533);
			else {
				position$1++;
				if (position$1 >= end || (src[position$1] & 192) !== 128) units.push(65533);
				else {
					const byte3 = src[position$1++] & 63;
					if (position$1 >= end || (src[position$1] & 192) !== 128) units.push(65533);
					else {
						const byte4 = src[position$1++] & 63;
						let unit = (byte1 & 7) << 18 | (byte2 & 63) << 12 | byte3 << 6 | byte4;
						unit -= 65536;
						units.push(unit >>> 10 & 1023 | 55296);
						units.push(56320 | unit & 1023);
					}
				}
			}
		} else units.push(65533);
		if (units.length >= 4096) {
			result += fromCharCode.apply(String, units);
			units.length = 0;
		}
	}
	if (units.length > 0) result += fromCharCode.apply(String, units);
	return result;
}
function endOfMessagePackError(end) {
	let error = /* @__PURE__ */ new Error("Unexpected end of MessagePack data");
	error.incomplete = true;
	if (end > srcEnd && position$1 <= srcEnd) error.missingBytes = end - srcEnd;
	return error;
}
function readArray(length) {
	if (length > srcEnd - position$1 || (arrayAllocationBudget -= length) < 0) throw endOfMessagePackError(position$1 + length);
	let array = new Array(length);
	for (let i = 0; i < length; i++) array[i] = read();
	if (currentUnpackr.freezeData) return Object.freeze(array);
	return array;
}
function readMap(length) {
	if (length > (srcEnd - position$1) / 2) throw endOfMessagePackError(position$1 + 2 * length);
	if (currentUnpackr.mapsAsObjects) {
		let object = {};
		for (let i = 0; i < length; i++) {
			let key = readKey();
			if (key === "__proto__") key = "__proto_";
			object[key] = read();
		}
		return object;
	} else {
		let map = /* @__PURE__ */ new Map();
		for (let i = 0; i < length; i++) map.set(read(), read());
		return map;
	}
}
var fromCharCode = String.fromCharCode;
function longStringInJS(length) {
	let start = position$1;
	if (src.latin1Slice) {
		let end = start + length;
		if (end > srcEnd) return;
		for (let i = start; i < end; i++) if ((src[i] & 128) > 0) return;
		position$1 = end;
		return src.latin1Slice(start, end);
	}
	let bytes = new Array(length);
	for (let i = 0; i < length; i++) {
		const byte = src[position$1++];
		if ((byte & 128) > 0) {
			position$1 = start;
			return;
		}
		bytes[i] = byte;
	}
	return fromCharCode.apply(String, bytes);
}
function shortStringInJS(length) {
	if (length < 4) {
		if (length < 2) {
			if (length === 0) return "";
			else {
				let a = src[position$1++];
				if ((a & 128) > 1) {
					position$1 -= 1;
					return;
				}
				return fromCharCode(a);
			}
		} else {
			let a = src[position$1++];
			let b = src[position$1++];
			if ((a & 128) > 0 || (b & 128) > 0) {
				position$1 -= 2;
				return;
			}
			if (length < 3) return fromCharCode(a, b);
			let c = src[position$1++];
			if ((c & 128) > 0) {
				position$1 -= 3;
				return;
			}
			return fromCharCode(a, b, c);
		}
	} else {
		let a = src[position$1++];
		let b = src[position$1++];
		let c = src[position$1++];
		let d = src[position$1++];
		if ((a & 128) > 0 || (b & 128) > 0 || (c & 128) > 0 || (d & 128) > 0) {
			position$1 -= 4;
			return;
		}
		if (length < 6) {
			if (length === 4) return fromCharCode(a, b, c, d);
			else {
				let e = src[position$1++];
				if ((e & 128) > 0) {
					position$1 -= 5;
					return;
				}
				return fromCharCode(a, b, c, d, e);
			}
		} else if (length < 8) {
			let e = src[position$1++];
			let f = src[position$1++];
			if ((e & 128) > 0 || (f & 128) > 0) {
				position$1 -= 6;
				return;
			}
			if (length < 7) return fromCharCode(a, b, c, d, e, f);
			let g = src[position$1++];
			if ((g & 128) > 0) {
				position$1 -= 7;
				return;
			}
			return fromCharCode(a, b, c, d, e, f, g);
		} else {
			let e = src[position$1++];
			let f = src[position$1++];
			let g = src[position$1++];
			let h = src[position$1++];
			if ((e & 128) > 0 || (f & 128) > 0 || (g & 128) > 0 || (h & 128) > 0) {
				position$1 -= 8;
				return;
			}
			if (length < 10) {
				if (length === 8) return fromCharCode(a, b, c, d, e, f, g, h);
				else {
					let i = src[position$1++];
					if ((i & 128) > 0) {
						position$1 -= 9;
						return;
					}
					return fromCharCode(a, b, c, d, e, f, g, h, i);
				}
			} else if (length < 12) {
				let i = src[position$1++];
				let j = src[position$1++];
				if ((i & 128) > 0 || (j & 128) > 0) {
					position$1 -= 10;
					return;
				}
				if (length < 11) return fromCharCode(a, b, c, d, e, f, g, h, i, j);
				let k = src[position$1++];
				if ((k & 128) > 0) {
					position$1 -= 11;
					return;
				}
				return fromCharCode(a, b, c, d, e, f, g, h, i, j, k);
			} else {
				let i = src[position$1++];
				let j = src[position$1++];
				let k = src[position$1++];
				let l = src[position$1++];
				if ((i & 128) > 0 || (j & 128) > 0 || (k & 128) > 0 || (l & 128) > 0) {
					position$1 -= 12;
					return;
				}
				if (length < 14) {
					if (length === 12) return fromCharCode(a, b, c, d, e, f, g, h, i, j, k, l);
					else {
						let m = src[position$1++];
						if ((m & 128) > 0) {
							position$1 -= 13;
							return;
						}
						return fromCharCode(a, b, c, d, e, f, g, h, i, j, k, l, m);
					}
				} else {
					let m = src[position$1++];
					let n = src[position$1++];
					if ((m & 128) > 0 || (n & 128) > 0) {
						position$1 -= 14;
						return;
					}
					if (length < 15) return fromCharCode(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
					let o = src[position$1++];
					if ((o & 128) > 0) {
						position$1 -= 15;
						return;
					}
					return fromCharCode(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
				}
			}
		}
	}
}
function readOnlyJSString() {
	let token = src[position$1++];
	let length;
	if (token < 192) length = token - 160;
	else switch (token) {
		case 217:
			length = src[position$1++];
			break;
		case 218:
			length = dataView.getUint16(position$1);
			position$1 += 2;
			break;
		case 219:
			length = dataView.getUint32(position$1);
			position$1 += 4;
			break;
		default: throw new Error("Expected string");
	}
	return readStringJS(length);
}
function readBin(length) {
	return currentUnpackr.copyBuffers ? Uint8Array.prototype.slice.call(src, position$1, position$1 += length) : src.subarray(position$1, position$1 += length);
}
function readExt(length) {
	if (length >= srcEnd - position$1) throw endOfMessagePackError(position$1 + 1 + length);
	let type = src[position$1++];
	if (currentExtensions[type]) {
		let end;
		return currentExtensions[type](src.subarray(position$1, end = position$1 += length), (readPosition) => {
			position$1 = readPosition;
			try {
				return read();
			} finally {
				position$1 = end;
			}
		});
	} else throw new Error("Unknown extension type " + type);
}
var keyCache = new Array(4096);
function readKey() {
	let length = src[position$1++];
	if (length >= 160 && length < 192) {
		length = length - 160;
		if (srcStringEnd >= position$1) return srcString.slice(position$1 - srcStringStart, (position$1 += length) - srcStringStart);
		else if (!(srcStringEnd == 0 && srcEnd < 180)) return readFixedString(length);
	} else {
		position$1--;
		return asSafeString(read());
	}
	if (length > srcEnd - position$1) throw endOfMessagePackError(position$1 + length);
	let key = (length << 5 ^ (length > 1 ? dataView.getUint16(position$1) : length > 0 ? src[position$1] : 0)) & 4095;
	let entry = keyCache[key];
	let checkPosition = position$1;
	let end = position$1 + length - 3;
	let chunk;
	let i = 0;
	if (entry && entry.bytes == length) {
		while (checkPosition < end) {
			chunk = dataView.getUint32(checkPosition);
			if (chunk != entry[i++]) {
				checkPosition = 1879048192;
				break;
			}
			checkPosition += 4;
		}
		end += 3;
		while (checkPosition < end) {
			chunk = src[checkPosition++];
			if (chunk != entry[i++]) {
				checkPosition = 1879048192;
				break;
			}
		}
		if (checkPosition === end) {
			position$1 = checkPosition;
			return entry.string;
		}
		end -= 3;
		checkPosition = position$1;
	}
	entry = [];
	keyCache[key] = entry;
	entry.bytes = length;
	while (checkPosition < end) {
		chunk = dataView.getUint32(checkPosition);
		entry.push(chunk);
		checkPosition += 4;
	}
	end += 3;
	while (checkPosition < end) {
		chunk = src[checkPosition++];
		entry.push(chunk);
	}
	let string = length < 16 ? shortStringInJS(length) : longStringInJS(length);
	if (string != null) return entry.string = string;
	return entry.string = readFixedString(length);
}
function asSafeString(property) {
	if (typeof property === "string") return property;
	if (typeof property === "number" || typeof property === "boolean" || typeof property === "bigint") return property.toString();
	if (property == null) return property + "";
	if (currentUnpackr.allowArraysInMapKeys && Array.isArray(property) && property.flat().every((item) => [
		"string",
		"number",
		"boolean",
		"bigint"
	].includes(typeof item))) return property.flat().toString();
	throw new Error(`Invalid property type for record: ${typeof property}. A MessagePack map with non-string keys can be decoded as a Map with mapsAsObjects: false`);
}
var recordDefinition = (id, highByte) => {
	let structure = read().map(asSafeString);
	let firstByte = id;
	if (highByte !== void 0) {
		id = id < 32 ? -((highByte << 5) + id) : (highByte << 5) + id;
		structure.highByte = highByte;
	}
	let existingStructure = currentStructures[id];
	if (existingStructure && (existingStructure.isShared || sequentialMode)) (currentStructures.restoreStructures || (currentStructures.restoreStructures = []))[id] = existingStructure;
	currentStructures[id] = structure;
	structure.read = createStructureReader(structure, firstByte);
	return (structure.read0 || structure.read)();
};
currentExtensions[0] = () => {};
currentExtensions[0].noBuffer = true;
currentExtensions[66] = (data) => {
	let headLength = data.byteLength % 8 || 8;
	let head = BigInt(data[0] & 128 ? data[0] - 256 : data[0]);
	for (let i = 1; i < headLength; i++) {
		head <<= BigInt(8);
		head += BigInt(data[i]);
	}
	if (data.byteLength !== headLength) {
		let view = new DataView(data.buffer, data.byteOffset, data.byteLength);
		let decode = (start, end) => {
			let length = end - start;
			if (length <= 40) {
				let out = view.getBigUint64(start);
				for (let i = start + 8; i < end; i += 8) {
					out <<= BigInt(64);
					out |= view.getBigUint64(i);
				}
				return out;
			}
			let middle = start + (length >> 4 << 3);
			let left = decode(start, middle);
			let right = decode(middle, end);
			return left << BigInt((end - middle) * 8) | right;
		};
		head = head << BigInt((view.byteLength - headLength) * 8) | decode(headLength, view.byteLength);
	}
	return head;
};
var errors = {
	Error,
	EvalError,
	RangeError,
	ReferenceError,
	SyntaxError,
	TypeError,
	URIError,
	AggregateError: typeof AggregateError === "function" ? AggregateError : null
};
currentExtensions[101] = () => {
	let data = read();
	if (!errors[data[0]]) {
		let error = Error(data[1], { cause: data[2] });
		error.name = data[0];
		return error;
	}
	return errors[data[0]](data[1], { cause: data[2] });
};
currentExtensions[105] = (data) => {
	if (currentUnpackr.structuredClone === false) throw new Error("Structured clone extension is disabled");
	let id = dataView.getUint32(position$1 - 4);
	if (!referenceMap) referenceMap = /* @__PURE__ */ new Map();
	let token = src[position$1];
	let target;
	if (token >= 144 && token < 160 || token == 220 || token == 221) target = [];
	else if (token >= 128 && token < 144 || token == 222 || token == 223) target = /* @__PURE__ */ new Map();
	else if ((token >= 199 && token <= 201 || token >= 212 && token <= 216) && src[position$1 + 1] === 115) target = /* @__PURE__ */ new Set();
	else target = {};
	let refEntry = { target };
	referenceMap.set(id, refEntry);
	let targetProperties = read();
	if (!refEntry.used) return refEntry.target = targetProperties;
	else Object.assign(target, targetProperties);
	if (target instanceof Map) for (let [k, v] of targetProperties.entries()) target.set(k, v);
	if (target instanceof Set) for (let i of Array.from(targetProperties)) target.add(i);
	return target;
};
currentExtensions[112] = (data) => {
	if (currentUnpackr.structuredClone === false) throw new Error("Structured clone extension is disabled");
	let id = dataView.getUint32(position$1 - 4);
	let refEntry = referenceMap.get(id);
	refEntry.used = true;
	return refEntry.target;
};
currentExtensions[115] = () => new Set(read());
var typedArrays = [
	"Int8",
	"Uint8",
	"Uint8Clamped",
	"Int16",
	"Uint16",
	"Int32",
	"Uint32",
	"Float32",
	"Float64",
	"BigInt64",
	"BigUint64"
].map((type) => type + "Array");
var glbl = typeof globalThis === "object" ? globalThis : window;
currentExtensions[116] = (data) => {
	let typeCode = data[0];
	let buffer = Uint8Array.prototype.slice.call(data, 1).buffer;
	let typedArrayName = typedArrays[typeCode];
	if (!typedArrayName) {
		if (typeCode === 16) return buffer;
		if (typeCode === 17) return new DataView(buffer);
		throw new Error("Could not find typed array for code " + typeCode);
	}
	return new glbl[typedArrayName](buffer);
};
currentExtensions[120] = () => {
	let data = read();
	return new RegExp(data[0], data[1]);
};
var TEMP_BUNDLE = [];
currentExtensions[98] = (data) => {
	let dataSize = (data[0] << 24) + (data[1] << 16) + (data[2] << 8) + data[3];
	let dataPosition = position$1;
	position$1 += dataSize - data.length;
	bundledStrings$1 = TEMP_BUNDLE;
	bundledStrings$1 = [readOnlyJSString(), readOnlyJSString()];
	bundledStrings$1.position0 = 0;
	bundledStrings$1.position1 = 0;
	bundledStrings$1.postBundlePosition = position$1;
	position$1 = dataPosition;
	return read();
};
currentExtensions[255] = (data) => {
	if (data.length == 4) return /* @__PURE__ */ new Date((data[0] * 16777216 + (data[1] << 16) + (data[2] << 8) + data[3]) * 1e3);
	else if (data.length == 8) return /* @__PURE__ */ new Date(((data[0] << 22) + (data[1] << 14) + (data[2] << 6) + (data[3] >> 2)) / 1e6 + ((data[3] & 3) * 4294967296 + data[4] * 16777216 + (data[5] << 16) + (data[6] << 8) + data[7]) * 1e3);
	else if (data.length == 12) return /* @__PURE__ */ new Date(((data[0] << 24) + (data[1] << 16) + (data[2] << 8) + data[3]) / 1e6 + ((data[4] & 128 ? -281474976710656 : 0) + data[6] * 1099511627776 + data[7] * 4294967296 + data[8] * 16777216 + (data[9] << 16) + (data[10] << 8) + data[11]) * 1e3);
	else return /* @__PURE__ */ new Date("invalid");
};
function saveState(callback) {
	if (currentUnpackr && currentUnpackr._onSaveState) currentUnpackr._onSaveState();
	let savedSrcEnd = srcEnd;
	let savedPosition = position$1;
	let savedStringPosition = stringPosition;
	let savedSrcStringStart = srcStringStart;
	let savedSrcStringEnd = srcStringEnd;
	let savedSrcString = srcString;
	let savedStrings = strings;
	let savedReferenceMap = referenceMap;
	let savedBundledStrings = bundledStrings$1;
	let savedArrayAllocationBudget = arrayAllocationBudget;
	let savedSrc = new Uint8Array(src.slice(0, srcEnd));
	let savedStructures = currentStructures;
	let savedStructuresContents = currentStructures.slice(0, currentStructures.length);
	let savedPackr = currentUnpackr;
	let savedSequentialMode = sequentialMode;
	try {
		return callback();
	} finally {
		srcEnd = savedSrcEnd;
		position$1 = savedPosition;
		stringPosition = savedStringPosition;
		srcStringStart = savedSrcStringStart;
		srcStringEnd = savedSrcStringEnd;
		srcString = savedSrcString;
		strings = savedStrings;
		referenceMap = savedReferenceMap;
		bundledStrings$1 = savedBundledStrings;
		arrayAllocationBudget = savedArrayAllocationBudget;
		src = savedSrc;
		sequentialMode = savedSequentialMode;
		currentStructures = savedStructures;
		currentStructures.splice(0, currentStructures.length, ...savedStructuresContents);
		currentUnpackr = savedPackr;
		dataView = new DataView(src.buffer, src.byteOffset, src.byteLength);
	}
}
function clearSource() {
	src = null;
	referenceMap = null;
	currentStructures = null;
}
var mult10 = new Array(147);
for (let i = 0; i < 256; i++) mult10[i] = +("1e" + Math.floor(45.15 - i * .30103));
var defaultUnpackr = new Unpackr({ useRecords: false });
defaultUnpackr.unpack;
defaultUnpackr.unpackMultiple;
defaultUnpackr.unpack;
var FLOAT32_OPTIONS = {
	NEVER: 0,
	ALWAYS: 1,
	DECIMAL_ROUND: 3,
	DECIMAL_FIT: 4
};
new Uint8Array((/* @__PURE__ */ new Float32Array(1)).buffer, 0, 4);
Unpackr.SUPPORTS_STRUCT_HOOKS = true;
// ../../node_modules/.pnpm/msgpackr@2.1.3/node_modules/msgpackr/pack.js
var textEncoder;
try {
	textEncoder = new TextEncoder();
} catch (error) {}
var extensions;
var extensionClasses;
var hasNodeBuffer = typeof Buffer !== "undefined";
var ByteArrayAllocate = hasNodeBuffer ? function(length) {
	return Buffer.allocUnsafeSlow(length);
} : Uint8Array;
var ByteArray = hasNodeBuffer ? Buffer : Uint8Array;
var MAX_BUFFER_SIZE = hasNodeBuffer ? 4294967296 : 2144337920;
var target;
var keysTarget;
var targetView;
var position = 0;
var safeEnd;
var bundledStrings = null;
var packing = false;
var MAX_BUNDLE_SIZE = 21760;
var hasNonLatin = /[\u0080-\uFFFF]/;
var RECORD_SYMBOL = Symbol("record-id");
var Packr = class extends Unpackr {
	constructor(options) {
		super(options);
		this.offset = 0;
		let start;
		let hasSharedUpdate;
		let structures;
		let referenceMap;
		let encodeUtf8 = ByteArray.prototype.utf8Write ? function(string, position) {
			return target.utf8Write(string, position, target.byteLength - position);
		} : textEncoder && textEncoder.encodeInto ? function(string, position) {
			return textEncoder.encodeInto(string, target.subarray(position)).written;
		} : false;
		let packr = this;
		if (!options) options = {};
		let isSequential = options && options.sequential;
		let hasSharedStructures = options.structures || options.saveStructures;
		let maxSharedStructures = options.maxSharedStructures;
		if (maxSharedStructures == null) maxSharedStructures = hasSharedStructures ? 32 : 0;
		if (maxSharedStructures > 8160) throw new Error("Maximum maxSharedStructure is 8160");
		if (options.structuredClone && options.moreTypes == void 0) this.moreTypes = true;
		let maxOwnStructures = options.maxOwnStructures;
		if (maxOwnStructures == null) maxOwnStructures = hasSharedStructures ? 32 : 64;
		if (!this.structures && options.useRecords != false) this.structures = [];
		let useTwoByteRecords = maxSharedStructures > 32 || maxOwnStructures + maxSharedStructures > 64;
		let sharedLimitId = maxSharedStructures + 64;
		let maxStructureId = maxSharedStructures + maxOwnStructures + 64;
		if (maxStructureId > 8256) throw new Error("Maximum maxSharedStructure + maxOwnStructure is 8192");
		let recordIdsToRemove = [];
		let transitionsCount = 0;
		let serializationsSinceTransitionRebuild = 0;
		let instancePacking = false;
		let reentrantDepth = 0;
		let pendingNestedStructures = null;
		this.pack = this.encode = function(value, encodeOptions) {
			if (packing) return saveState(value, encodeOptions);
			if (!target) {
				target = new ByteArrayAllocate(8192);
				targetView = target.dataView || (target.dataView = new DataView(target.buffer, 0, 8192));
				position = 0;
			}
			safeEnd = target.length - 10;
			if (safeEnd - position < 2048) {
				target = new ByteArrayAllocate(target.length);
				targetView = target.dataView || (target.dataView = new DataView(target.buffer, 0, target.length));
				safeEnd = target.length - 10;
				position = 0;
			} else position = position + 7 & 2147483640;
			start = position;
			if (encodeOptions & 2048) position += encodeOptions & 255;
			referenceMap = packr.structuredClone ? /* @__PURE__ */ new Map() : null;
			if (packr.bundleStrings && typeof value !== "string") {
				bundledStrings = [];
				bundledStrings.size = Infinity;
			} else bundledStrings = null;
			structures = packr.structures;
			if (structures) {
				if (structures.uninitialized) structures = packr._mergeStructures(packr.getStructures());
				let sharedLength = structures.sharedLength || 0;
				if (sharedLength > maxSharedStructures) throw new Error("Shared structures is larger than maximum shared structures, try increasing maxSharedStructures to " + structures.sharedLength);
				if (!structures.transitions) {
					rebuildTransitions(reentrantDepth && packr.saveStructures ? Math.min(sharedLength, packr.lastNamedStructuresLength || 0) : sharedLength);
					if (!reentrantDepth) packr.lastNamedStructuresLength = sharedLength;
				}
				if (!isSequential || !(structures.nextId >= sharedLength + 64)) structures.nextId = sharedLength + 64;
			}
			if (hasSharedUpdate) hasSharedUpdate = false;
			if (!reentrantDepth && pendingNestedStructures) pendingNestedStructures = null;
			let encodingError;
			packing = true;
			instancePacking = true;
			try {
				if (packr._writeStruct && !(reentrantDepth && packr.saveStructures) && value && typeof value === "object") {
					if (value.constructor === Object) writeStruct(value);
					else if (value.constructor !== Map && !Array.isArray(value) && !extensionClasses.some((extClass) => value instanceof extClass)) writeStruct(packr.useToJSON !== false && value.toJSON ? value.toJSON() : value);
					else pack(value);
				} else pack(value);
				let lastBundle = bundledStrings;
				if (bundledStrings) writeBundles(start, pack, 0);
				if (referenceMap && referenceMap.idsToInsert) {
					let idsToInsert = referenceMap.idsToInsert.sort((a, b) => a.offset > b.offset ? 1 : -1);
					let i = idsToInsert.length;
					let incrementPosition = -1;
					while (lastBundle && i > 0) {
						let insertionPoint = idsToInsert[--i].offset + start;
						if (insertionPoint < lastBundle.stringsPosition + start && incrementPosition === -1) incrementPosition = 0;
						if (insertionPoint > lastBundle.position + start) {
							if (incrementPosition >= 0) incrementPosition += 6;
						} else {
							if (incrementPosition >= 0) {
								targetView.setUint32(lastBundle.position + start, targetView.getUint32(lastBundle.position + start) + incrementPosition);
								incrementPosition = -1;
							}
							lastBundle = lastBundle.previous;
							i++;
						}
					}
					if (incrementPosition >= 0 && lastBundle) targetView.setUint32(lastBundle.position + start, targetView.getUint32(lastBundle.position + start) + incrementPosition);
					position += idsToInsert.length * 6;
					if (position > safeEnd) makeRoom(position);
					packr.offset = position;
					let serialized = insertIds(target.subarray(start, position), idsToInsert);
					referenceMap = null;
					return serialized;
				}
				packr.offset = position;
				if (encodeOptions & 512) {
					target.start = start;
					target.end = position;
					return target;
				}
				return target.subarray(start, position);
			} catch (error) {
				encodingError = error;
				throw error;
			} finally {
				instancePacking = false;
				if (structures) {
					resetStructures();
					if (pendingNestedStructures && !reentrantDepth) {
						let toPromote = pendingNestedStructures;
						pendingNestedStructures = null;
						if (!encodingError && packr.saveStructures) {
							let sharedLength = structures.sharedLength || 0;
							if (!structures.transitions) rebuildTransitions(sharedLength);
							for (let i = 0, l = toPromote.length; i < l && sharedLength < maxSharedStructures; i++) {
								let keys = toPromote[i];
								let nextTransition, transition = structures.transitions;
								for (let j = 0, kl = keys.length; j < kl; j++) {
									let key = keys[j];
									nextTransition = transition[key];
									if (!nextTransition) nextTransition = transition[key] = Object.create(null);
									transition = nextTransition;
								}
								if (!transition[RECORD_SYMBOL]) {
									let recordId = sharedLength + 64;
									keys.highByte = recordId >= 96 && useTwoByteRecords ? recordId - 96 >> 5 : -1;
									keys.isShared = true;
									transition[RECORD_SYMBOL] = recordId;
									transition.__keys__ = keys;
									structures[sharedLength++] = keys;
									structures.sharedLength = sharedLength;
									hasSharedUpdate = true;
								}
							}
							if (!isSequential || !(structures.nextId >= sharedLength + 64)) structures.nextId = sharedLength + 64;
						}
					}
					if (hasSharedUpdate && !reentrantDepth && packr.saveStructures) {
						let sharedLength = structures.sharedLength || 0;
						let returnBuffer = target.subarray(start, position);
						if (!encodingError) {
							let saveSucceeded = false;
							try {
								let newSharedData = (packr._prepareStructures || prepareStructures)(structures, packr);
								if (packr.saveStructures(newSharedData, newSharedData.isCompatible) === false) {
									structures.uninitialized = true;
									saveSucceeded = true;
									packing = false;
									return packr.pack(value, encodeOptions);
								}
								saveSucceeded = true;
							} finally {
								packing = false;
								if (!saveSucceeded) {
									structures = packr.structures;
									if (packr.getStructures) structures.uninitialized = true;
									structures.length = structures.sharedLength = packr.lastNamedStructuresLength || 0;
									structures.transitions = null;
								}
							}
							packr.lastNamedStructuresLength = sharedLength;
							if (target.length > 1073741824) target = null;
							return returnBuffer;
						}
						if (packr.getStructures) structures.uninitialized = true;
						structures.length = structures.sharedLength = packr.lastNamedStructuresLength || 0;
						structures.transitions = null;
					}
				}
				packing = false;
				if (target.length > 1073741824) target = null;
				if (encodeOptions & 1024) position = start;
			}
		};
		const rebuildTransitions = (sharedLength) => {
			structures.transitions = Object.create(null);
			for (let i = 0; i < sharedLength; i++) {
				let keys = structures[i];
				if (!keys) continue;
				let nextTransition, transition = structures.transitions;
				for (let j = 0, l = keys.length; j < l; j++) {
					let key = keys[j];
					nextTransition = transition[key];
					if (!nextTransition) nextTransition = transition[key] = Object.create(null);
					transition = nextTransition;
				}
				transition[RECORD_SYMBOL] = i + 64;
			}
		};
		const saveState = (value, encodeOptions) => {
			let savedTarget = target;
			let savedTargetView = targetView;
			let savedPosition = position;
			let savedSafeEnd = safeEnd;
			let savedBundledStrings = bundledStrings;
			let savedStart = start;
			let savedReferenceMap = referenceMap;
			let savedHasSharedUpdate = hasSharedUpdate;
			let wasInstancePacking = instancePacking;
			let savedStructures, savedTransitions, savedNextId, savedNextOwnId, savedRecordIdsToRemove, savedRecordIds, savedOwnStructures, savedSharedLength, savedLastNamedLength, savedUnsavedShared, savedTransitionsCount, savedPendingNestedLen;
			let nestedSucceeded = false;
			if (wasInstancePacking) {
				savedPendingNestedLen = pendingNestedStructures ? pendingNestedStructures.length : 0;
				reentrantDepth++;
			}
			try {
				if (wasInstancePacking && structures) {
					savedStructures = structures;
					savedTransitions = structures.transitions;
					savedNextId = structures.nextId;
					savedNextOwnId = structures.nextOwnId;
					savedLastNamedLength = packr.lastNamedStructuresLength;
					savedSharedLength = structures.sharedLength || 0;
					savedOwnStructures = structures.slice(savedSharedLength);
					savedRecordIdsToRemove = recordIdsToRemove;
					savedRecordIds = [];
					for (let i = 0, l = recordIdsToRemove.length; i < l; i++) {
						let transition = recordIdsToRemove[i];
						let recordId = transition[RECORD_SYMBOL];
						savedRecordIds[i] = recordId;
						transition[RECORD_SYMBOL] = 0;
						if (recordId >= savedSharedLength + 64 && transition.__keys__) savedOwnStructures[recordId - savedSharedLength - 64] = transition.__keys__;
					}
					recordIdsToRemove = [];
					if (savedHasSharedUpdate && packr.saveStructures && savedTransitions) {
						savedUnsavedShared = [];
						for (let i = savedLastNamedLength || 0; i < savedSharedLength; i++) {
							let keys = structures[i];
							if (!keys) continue;
							let transition = savedTransitions;
							for (let j = 0, l = keys.length; j < l && transition; j++) transition = transition[keys[j]];
							if (transition && transition[RECORD_SYMBOL] === i + 64) {
								savedUnsavedShared.push(transition, i + 64, transition.__keys__);
								transition[RECORD_SYMBOL] = 0;
								transition.__keys__ = null;
							}
						}
					}
					structures.length = savedSharedLength;
					structures.nextId = savedSharedLength + 64;
					structures.nextOwnId = void 0;
					savedTransitionsCount = transitionsCount;
					transitionsCount = 0;
				}
				target = null;
				packing = false;
				instancePacking = false;
				let result = packr.pack(value, encodeOptions);
				nestedSucceeded = true;
				return result;
			} finally {
				if (!nestedSucceeded && wasInstancePacking && pendingNestedStructures) pendingNestedStructures.length = savedPendingNestedLen;
				packing = true;
				instancePacking = wasInstancePacking;
				target = savedTarget;
				targetView = savedTargetView;
				position = savedPosition;
				safeEnd = savedSafeEnd;
				bundledStrings = savedBundledStrings;
				start = savedStart;
				referenceMap = savedReferenceMap;
				if (wasInstancePacking) {
					reentrantDepth--;
					hasSharedUpdate = savedHasSharedUpdate || hasSharedUpdate;
					structures = packr.structures;
					if (structures && savedOwnStructures) {
						if (recordIdsToRemove !== savedRecordIdsToRemove) for (let i = 0, l = recordIdsToRemove.length; i < l; i++) recordIdsToRemove[i][RECORD_SYMBOL] = 0;
						let currentSharedLength = structures.sharedLength || 0;
						if (structures !== savedStructures) {
							if (savedHasSharedUpdate || savedOwnStructures.length > 0) {
								for (let i = 0; i < savedSharedLength; i++) if (savedStructures[i] !== void 0) structures[i] = savedStructures[i];
								currentSharedLength = structures.sharedLength = structures.length = savedSharedLength;
								packr.lastNamedStructuresLength = savedLastNamedLength;
							} else if (!reentrantDepth && !hasSharedUpdate) packr.lastNamedStructuresLength = currentSharedLength;
						}
						structures.length = Math.max(currentSharedLength, savedSharedLength + savedOwnStructures.length);
						for (let i = Math.max(0, currentSharedLength - savedSharedLength), l = savedOwnStructures.length; i < l; i++) if (savedOwnStructures[i] !== void 0) structures[savedSharedLength + i] = savedOwnStructures[i];
						if (structures.transitions !== savedTransitions || structures !== savedStructures) {
							if (structures === savedStructures && !structures.transitions && currentSharedLength === savedSharedLength) structures.transitions = savedTransitions;
							else {
								rebuildTransitions(reentrantDepth && packr.saveStructures ? Math.min(currentSharedLength, packr.lastNamedStructuresLength || 0) : currentSharedLength);
								savedUnsavedShared = null;
								savedRecordIdsToRemove = [];
								savedRecordIds = [];
								for (let i = Math.max(0, currentSharedLength - savedSharedLength), l = savedOwnStructures.length; i < l; i++) {
									let keys = savedOwnStructures[i];
									if (!keys) continue;
									let nextTransition, transition = structures.transitions;
									for (let j = 0, kl = keys.length; j < kl; j++) {
										let key = keys[j];
										nextTransition = transition[key];
										if (!nextTransition) nextTransition = transition[key] = Object.create(null);
										transition = nextTransition;
									}
									if (!transition[RECORD_SYMBOL]) {
										savedRecordIdsToRemove.push(transition);
										savedRecordIds.push(savedSharedLength + i + 64);
									}
								}
							}
						}
						if (savedUnsavedShared) for (let i = 0, l = savedUnsavedShared.length; i < l; i += 3) {
							savedUnsavedShared[i][RECORD_SYMBOL] = savedUnsavedShared[i + 1];
							savedUnsavedShared[i].__keys__ = savedUnsavedShared[i + 2];
						}
						recordIdsToRemove = savedRecordIdsToRemove;
						for (let i = 0, l = savedRecordIds.length; i < l; i++) if (!recordIdsToRemove[i][RECORD_SYMBOL]) recordIdsToRemove[i][RECORD_SYMBOL] = savedRecordIds[i];
						structures.nextId = !(savedNextId >= currentSharedLength + 64) ? currentSharedLength + 64 : savedNextId;
						structures.nextOwnId = savedNextOwnId;
						if (savedTransitionsCount !== void 0) transitionsCount += savedTransitionsCount;
					}
				} else hasSharedUpdate = savedHasSharedUpdate;
			}
		};
		const resetStructures = () => {
			if (serializationsSinceTransitionRebuild < 10) serializationsSinceTransitionRebuild++;
			let sharedLength = structures.sharedLength || 0;
			if (structures.length > sharedLength && !isSequential) structures.length = sharedLength;
			if (transitionsCount > 1e4 && !reentrantDepth) {
				structures.transitions = null;
				serializationsSinceTransitionRebuild = 0;
				transitionsCount = 0;
				if (recordIdsToRemove.length > 0) recordIdsToRemove = [];
			} else if (recordIdsToRemove.length > 0 && !isSequential) {
				for (let i = 0, l = recordIdsToRemove.length; i < l; i++) recordIdsToRemove[i][RECORD_SYMBOL] = 0;
				recordIdsToRemove = [];
			}
		};
		const packArray = (value) => {
			var length = value.length;
			if (length < 16) target[position++] = 144 | length;
			else if (length < 65536) {
				target[position++] = 220;
				target[position++] = length >> 8;
				target[position++] = length & 255;
			} else {
				target[position++] = 221;
				targetView.setUint32(position, length);
				position += 4;
			}
			for (let i = 0; i < length; i++) pack(value[i]);
		};
		const pack = (value) => {
			if (position > safeEnd) target = makeRoom(position);
			var type = typeof value;
			var length;
			if (type === "string") {
				let strLength = value.length;
				if (bundledStrings && strLength >= 4 && strLength < 4096) {
					if ((bundledStrings.size += strLength) > MAX_BUNDLE_SIZE) {
						let extStart;
						let maxBytes = (bundledStrings[0] ? bundledStrings[0].length * 3 + bundledStrings[1].length : 0) + 10;
						if (position + maxBytes > safeEnd) target = makeRoom(position + maxBytes);
						let lastBundle;
						if (bundledStrings.position) {
							lastBundle = bundledStrings;
							target[position] = 200;
							position += 3;
							target[position++] = 98;
							extStart = position - start;
							position += 4;
							writeBundles(start, pack, 0);
							targetView.setUint16(extStart + start - 3, position - start - extStart);
						} else {
							target[position++] = 214;
							target[position++] = 98;
							extStart = position - start;
							position += 4;
						}
						bundledStrings = ["", ""];
						bundledStrings.previous = lastBundle;
						bundledStrings.size = 0;
						bundledStrings.position = extStart;
					}
					let twoByte = hasNonLatin.test(value);
					bundledStrings[twoByte ? 0 : 1] += value;
					target[position++] = 193;
					pack(twoByte ? -strLength : strLength);
					return;
				}
				let headerSize;
				if (strLength < 32) headerSize = 1;
				else if (strLength < 256) headerSize = 2;
				else if (strLength < 65536) headerSize = 3;
				else headerSize = 5;
				let maxBytes = strLength * 3;
				if (position + maxBytes > safeEnd) target = makeRoom(position + maxBytes);
				if (strLength < 64 || !encodeUtf8) {
					let i, c1, c2, strPosition = position + headerSize;
					for (i = 0; i < strLength; i++) {
						c1 = value.charCodeAt(i);
						if (c1 < 128) target[strPosition++] = c1;
						else if (c1 < 2048) {
							target[strPosition++] = c1 >> 6 | 192;
							target[strPosition++] = c1 & 63 | 128;
						} else if ((c1 & 64512) === 55296 && ((c2 = value.charCodeAt(i + 1)) & 64512) === 56320) {
							c1 = 65536 + ((c1 & 1023) << 10) + (c2 & 1023);
							i++;
							target[strPosition++] = c1 >> 18 | 240;
							target[strPosition++] = c1 >> 12 & 63 | 128;
							target[strPosition++] = c1 >> 6 & 63 | 128;
							target[strPosition++] = c1 & 63 | 128;
						} else {
							target[strPosition++] = c1 >> 12 | 224;
							target[strPosition++] = c1 >> 6 & 63 | 128;
							target[strPosition++] = c1 & 63 | 128;
						}
					}
					length = strPosition - position - headerSize;
				} else length = encodeUtf8(value, position + headerSize);
				if (length < 32) target[position++] = 160 | length;
				else if (length < 256) {
					if (headerSize < 2) target.copyWithin(position + 2, position + 1, position + 1 + length);
					target[position++] = 217;
					target[position++] = length;
				} else if (length < 65536) {
					if (headerSize < 3) target.copyWithin(position + 3, position + 2, position + 2 + length);
					target[position++] = 218;
					target[position++] = length >> 8;
					target[position++] = length & 255;
				} else {
					if (headerSize < 5) target.copyWithin(position + 5, position + 3, position + 3 + length);
					target[position++] = 219;
					targetView.setUint32(position, length);
					position += 4;
				}
				position += length;
			} else if (type === "number") {
				if (value >>> 0 === value) {
					if (value < 32 || value < 128 && this.useRecords === false || value < 64 && !this._writeStruct) target[position++] = value;
					else if (value < 256) {
						target[position++] = 204;
						target[position++] = value;
					} else if (value < 65536) {
						target[position++] = 205;
						target[position++] = value >> 8;
						target[position++] = value & 255;
					} else {
						target[position++] = 206;
						targetView.setUint32(position, value);
						position += 4;
					}
				} else if (value >> 0 === value) {
					if (value >= -32) target[position++] = 256 + value;
					else if (value >= -128) {
						target[position++] = 208;
						target[position++] = value + 256;
					} else if (value >= -32768) {
						target[position++] = 209;
						targetView.setInt16(position, value);
						position += 2;
					} else {
						target[position++] = 210;
						targetView.setInt32(position, value);
						position += 4;
					}
				} else {
					let useFloat32;
					if ((useFloat32 = this.useFloat32) > 0 && value < 4294967296 && value >= -2147483648) {
						target[position++] = 202;
						targetView.setFloat32(position, value);
						let xShifted;
						if (useFloat32 < 4 || (xShifted = value * mult10[(target[position] & 127) << 1 | target[position + 1] >> 7]) >> 0 === xShifted) {
							position += 4;
							return;
						} else position--;
					}
					target[position++] = 203;
					targetView.setFloat64(position, value);
					position += 8;
				}
			} else if (type === "object" || type === "function") {
				if (!value) target[position++] = 192;
				else {
					if (referenceMap) {
						let referee = referenceMap.get(value);
						if (referee) {
							if (!referee.id) referee.id = (referenceMap.idsToInsert || (referenceMap.idsToInsert = [])).push(referee);
							target[position++] = 214;
							target[position++] = 112;
							targetView.setUint32(position, referee.id);
							position += 4;
							return;
						} else referenceMap.set(value, { offset: position - start });
					}
					let constructor = value.constructor;
					if (constructor === Object) writeObject(value);
					else if (constructor === Array) packArray(value);
					else if (constructor === Map) {
						if (this.mapAsEmptyObject) target[position++] = 128;
						else {
							length = value.size;
							if (length < 16) target[position++] = 128 | length;
							else if (length < 65536) {
								target[position++] = 222;
								target[position++] = length >> 8;
								target[position++] = length & 255;
							} else {
								target[position++] = 223;
								targetView.setUint32(position, length);
								position += 4;
							}
							for (let [key, entryValue] of value) {
								pack(key);
								pack(entryValue);
							}
						}
					} else {
						for (let i = 0, l = extensions.length; i < l; i++) {
							let extensionClass = extensionClasses[i];
							if (value instanceof extensionClass) {
								if (value.constructor !== extensionClass && i >= l - builtInExtensionCount && packr.useToJSON !== false && value.toJSON !== void 0 && value.toJSON !== dateToJSON && value.toJSON !== bufferToJSON) break;
								let extension = extensions[i];
								if (extension.write) {
									if (extension.type) {
										target[position++] = 212;
										target[position++] = extension.type;
										target[position++] = 0;
									}
									let writeResult = extension.write.call(this, value);
									if (writeResult === value) {
										if (Array.isArray(value)) packArray(value);
										else writeObject(value);
									} else pack(writeResult);
									return;
								}
								let currentTarget = target;
								let currentTargetView = targetView;
								let currentPosition = position;
								let currentBundledStrings = bundledStrings;
								target = null;
								let result;
								try {
									result = extension.pack.call(this, value, (size) => {
										target = currentTarget;
										currentTarget = null;
										position += size;
										if (position > safeEnd) makeRoom(position);
										return {
											target,
											targetView,
											position: position - size
										};
									}, pack);
								} finally {
									if (currentTarget) {
										target = currentTarget;
										targetView = currentTargetView;
										position = currentPosition;
										bundledStrings = currentBundledStrings;
										safeEnd = target.length - 10;
									}
								}
								if (result) {
									if (result.length + position > safeEnd) makeRoom(result.length + position);
									position = writeExtensionData(result, target, position, extension.type);
								}
								return;
							}
						}
						if (Array.isArray(value)) packArray(value);
						else {
							if (packr.useToJSON !== false && value.toJSON) {
								const json = value.toJSON();
								if (json !== value) return pack(json);
							}
							if (type === "function") return pack(this.writeFunction && this.writeFunction(value));
							writeObject(value);
						}
					}
				}
			} else if (type === "boolean") target[position++] = value ? 195 : 194;
			else if (type === "bigint") {
				if (value < 0x8000000000000000 && value >= -0x8000000000000000) {
					target[position++] = 211;
					targetView.setBigInt64(position, value);
				} else if (value < 0x10000000000000000 && value > 0) {
					target[position++] = 207;
					targetView.setBigUint64(position, value);
				} else if (this.largeBigIntToFloat) {
					target[position++] = 203;
					targetView.setFloat64(position, Number(value));
				} else if (this.largeBigIntToString) return pack(value.toString());
				else if (this.useBigIntExtension || this.moreTypes) {
					let empty = value < 0 ? BigInt(-1) : BigInt(0);
					let array;
					if (value >> BigInt(65536) === empty) {
						let mask = BigInt(0x10000000000000000) - BigInt(1);
						let chunks = [];
						while (true) {
							chunks.push(value & mask);
							if (value >> BigInt(63) === empty) break;
							value >>= BigInt(64);
						}
						array = new Uint8Array(new BigUint64Array(chunks).buffer);
						array.reverse();
					} else {
						let invert = value < 0;
						let string = (invert ? ~value : value).toString(16);
						if (string.length % 2) string = "0" + string;
						else if (parseInt(string.charAt(0), 16) >= 8) string = "00" + string;
						if (hasNodeBuffer) array = Buffer.from(string, "hex");
						else {
							array = new Uint8Array(string.length / 2);
							for (let i = 0; i < array.length; i++) array[i] = parseInt(string.slice(i * 2, i * 2 + 2), 16);
						}
						if (invert) for (let i = 0; i < array.length; i++) array[i] = ~array[i];
					}
					if (array.length + position > safeEnd) makeRoom(array.length + position);
					position = writeExtensionData(array, target, position, 66);
					return;
				} else throw new RangeError(value + " was too large to fit in MessagePack 64-bit integer format, use useBigIntExtension, or set largeBigIntToFloat to convert to float-64, or set largeBigIntToString to convert to string");
				position += 8;
			} else if (type === "undefined") {
				if (this.encodeUndefinedAsNil) target[position++] = 192;
				else {
					target[position++] = 212;
					target[position++] = 0;
					target[position++] = 0;
				}
			} else throw new Error("Unknown type: " + type);
		};
		const writePlainObject = this.variableMapSize || this.coercibleKeyAsNumber || this.skipValues ? (object) => {
			let keys;
			if (this.skipValues) {
				keys = [];
				for (let key in object) if ((typeof object.hasOwnProperty !== "function" || object.hasOwnProperty(key)) && !this.skipValues.includes(object[key])) keys.push(key);
			} else keys = Object.keys(object);
			let length = keys.length;
			if (length < 16) target[position++] = 128 | length;
			else if (length < 65536) {
				target[position++] = 222;
				target[position++] = length >> 8;
				target[position++] = length & 255;
			} else {
				target[position++] = 223;
				targetView.setUint32(position, length);
				position += 4;
			}
			let key;
			if (this.coercibleKeyAsNumber) for (let i = 0; i < length; i++) {
				key = keys[i];
				let num = Number(key);
				pack(isNaN(num) ? key : num);
				pack(object[key]);
			}
			else for (let i = 0; i < length; i++) {
				pack(key = keys[i]);
				pack(object[key]);
			}
		} : (object) => {
			target[position++] = 222;
			let objectOffset = position - start;
			position += 2;
			let size = 0;
			for (let key in object) if (typeof object.hasOwnProperty !== "function" || object.hasOwnProperty(key)) {
				pack(key);
				pack(object[key]);
				size++;
			}
			if (size > 65535) throw new Error("Object is too large to serialize with fast 16-bit map size, use the \"variableMapSize\" option to serialize this object");
			target[objectOffset++ + start] = size >> 8;
			target[objectOffset + start] = size & 255;
		};
		const writeRecord = this.useRecords === false ? writePlainObject : options.progressiveRecords && !useTwoByteRecords && maxOwnStructures > 0 ? (object) => {
			let nextTransition, transition = structures.transitions || (structures.transitions = Object.create(null));
			let objectOffset = position++ - start;
			let wroteKeys;
			for (let key in object) if (typeof object.hasOwnProperty !== "function" || object.hasOwnProperty(key)) {
				nextTransition = transition[key];
				if (nextTransition) transition = nextTransition;
				else {
					let keys = Object.keys(object);
					let lastTransition = transition;
					transition = structures.transitions;
					let newTransitions = 0;
					for (let i = 0, l = keys.length; i < l; i++) {
						let key = keys[i];
						nextTransition = transition[key];
						if (!nextTransition) {
							nextTransition = transition[key] = Object.create(null);
							newTransitions++;
						}
						transition = nextTransition;
					}
					if (objectOffset + start + 1 == position) {
						position--;
						newRecord(transition, keys, newTransitions);
					} else insertNewRecord(transition, keys, objectOffset, newTransitions);
					wroteKeys = true;
					transition = lastTransition[key];
				}
				pack(object[key]);
			}
			if (!wroteKeys) {
				let recordId = transition[RECORD_SYMBOL];
				if (recordId) target[objectOffset + start] = recordId;
				else insertNewRecord(transition, Object.keys(object), objectOffset, 0);
			}
		} : (object) => {
			let nextTransition, transition = structures.transitions || (structures.transitions = Object.create(null));
			let newTransitions = 0;
			for (let key in object) if (typeof object.hasOwnProperty !== "function" || object.hasOwnProperty(key)) {
				nextTransition = transition[key];
				if (!nextTransition) {
					nextTransition = transition[key] = Object.create(null);
					newTransitions++;
				}
				transition = nextTransition;
			}
			let recordId = transition[RECORD_SYMBOL];
			if (recordId) {
				if (recordId >= 96 && useTwoByteRecords) {
					target[position++] = ((recordId -= 96) & 31) + 96;
					target[position++] = recordId >> 5;
				} else target[position++] = recordId;
			} else if (newRecord(transition, transition.__keys__ || Object.keys(object), newTransitions) === false) return writePlainObject(object);
			for (let key in object) if (typeof object.hasOwnProperty !== "function" || object.hasOwnProperty(key)) pack(object[key]);
		};
		const checkUseRecords = typeof this.useRecords == "function" && this.useRecords;
		const writeObject = checkUseRecords ? (object) => {
			checkUseRecords(object) ? writeRecord(object) : writePlainObject(object);
		} : writeRecord;
		const writeStruct = (object) => {
			let newPosition = packr._writeStruct(object, target, start, position, structures, makeRoom, (value, newPosition, notifySharedUpdate) => {
				if (notifySharedUpdate) return hasSharedUpdate = true;
				position = newPosition;
				let startTarget = target;
				pack(value);
				resetStructures();
				if (startTarget !== target) return {
					position,
					targetView,
					target
				};
				return position;
			});
			if (newPosition === 0) return writeObject(object);
			position = newPosition;
		};
		const makeRoom = (end) => {
			let newSize;
			if (end > 16777216) {
				if (end - start > MAX_BUFFER_SIZE) throw new Error("Packed buffer would be larger than maximum buffer size");
				newSize = Math.min(MAX_BUFFER_SIZE, Math.round(Math.max((end - start) * (end > 67108864 ? 1.25 : 2), 4194304) / 4096) * 4096);
			} else newSize = (Math.max(end - start << 2, target.length - 1) >> 12) + 1 << 12;
			let newBuffer = new ByteArrayAllocate(newSize);
			targetView = newBuffer.dataView || (newBuffer.dataView = new DataView(newBuffer.buffer, 0, newSize));
			end = Math.min(end, target.length);
			if (target.copy) target.copy(newBuffer, 0, start, end);
			else newBuffer.set(target.slice(start, end));
			position -= start;
			start = 0;
			safeEnd = newBuffer.length - 10;
			return target = newBuffer;
		};
		const newRecord = (transition, keys, newTransitions) => {
			let recordId = structures.nextId;
			if (!recordId) recordId = 64;
			if (recordId < sharedLimitId && (reentrantDepth && this.saveStructures || this.shouldShareStructure && !this.shouldShareStructure(keys))) {
				if (reentrantDepth && this.saveStructures && !(this.shouldShareStructure && !this.shouldShareStructure(keys))) (pendingNestedStructures || (pendingNestedStructures = [])).push(keys);
				if (!maxOwnStructures) return false;
				recordId = structures.nextOwnId;
				if (!(recordId < maxStructureId)) recordId = sharedLimitId;
				structures.nextOwnId = recordId + 1;
			} else {
				if (recordId >= maxStructureId) {
					if (!maxOwnStructures) return false;
					recordId = sharedLimitId;
				}
				structures.nextId = recordId + 1;
			}
			let highByte = keys.highByte = recordId >= 96 && useTwoByteRecords ? recordId - 96 >> 5 : -1;
			transition[RECORD_SYMBOL] = recordId;
			transition.__keys__ = keys;
			structures[recordId - 64] = keys;
			if (recordId < sharedLimitId) {
				keys.isShared = true;
				structures.sharedLength = recordId - 63;
				hasSharedUpdate = true;
				if (highByte >= 0) {
					target[position++] = (recordId & 31) + 96;
					target[position++] = highByte;
				} else target[position++] = recordId;
			} else {
				if (highByte >= 0) {
					target[position++] = 213;
					target[position++] = 114;
					target[position++] = (recordId & 31) + 96;
					target[position++] = highByte;
				} else {
					target[position++] = 212;
					target[position++] = 114;
					target[position++] = recordId;
				}
				if (newTransitions) transitionsCount += serializationsSinceTransitionRebuild * newTransitions;
				if (recordIdsToRemove.length >= maxOwnStructures) recordIdsToRemove.shift()[RECORD_SYMBOL] = 0;
				recordIdsToRemove.push(transition);
				pack(keys);
			}
		};
		const insertNewRecord = (transition, keys, insertionOffset, newTransitions) => {
			let mainTarget = target;
			let mainPosition = position;
			let mainSafeEnd = safeEnd;
			let mainStart = start;
			target = keysTarget;
			position = 0;
			start = 0;
			if (!target) keysTarget = target = new ByteArrayAllocate(8192);
			safeEnd = target.length - 10;
			newRecord(transition, keys, newTransitions);
			keysTarget = target;
			let keysPosition = position;
			target = mainTarget;
			position = mainPosition;
			safeEnd = mainSafeEnd;
			start = mainStart;
			if (keysPosition > 1) {
				let newEnd = position + keysPosition - 1;
				if (newEnd > safeEnd) makeRoom(newEnd);
				let insertionPosition = insertionOffset + start;
				target.copyWithin(insertionPosition + keysPosition, insertionPosition + 1, position);
				target.set(keysTarget.slice(0, keysPosition), insertionPosition);
				position = newEnd;
			} else target[insertionOffset + start] = keysTarget[0];
		};
	}
	useBuffer(buffer) {
		target = buffer;
		target.dataView || (target.dataView = new DataView(target.buffer, target.byteOffset, target.byteLength));
		targetView = target.dataView;
		position = 0;
	}
	set position(value) {
		position = value;
	}
	get position() {
		return position;
	}
	clearSharedData() {
		if (this.structures) {
			this.structures = [];
			this.lastNamedStructuresLength = 0;
		}
		if (this.typedStructs) this.typedStructs = [];
	}
};
var dateToJSON = Date.prototype.toJSON;
var bufferToJSON = typeof Buffer !== "undefined" ? Buffer.prototype.toJSON : dateToJSON;
extensionClasses = [
	Date,
	Set,
	Error,
	RegExp,
	ArrayBuffer,
	Object.getPrototypeOf(Uint8Array.prototype).constructor,
	DataView,
	C1Type
];
extensions = [
	{ pack(date, allocateForWrite, pack) {
		let seconds = date.getTime() / 1e3;
		if ((this.useTimestamp32 || date.getMilliseconds() === 0) && seconds >= 0 && seconds < 4294967296) {
			let { target, targetView, position } = allocateForWrite(6);
			target[position++] = 214;
			target[position++] = 255;
			targetView.setUint32(position, seconds);
		} else if (seconds > 0 && seconds < 4294967296) {
			let { target, targetView, position } = allocateForWrite(10);
			target[position++] = 215;
			target[position++] = 255;
			targetView.setUint32(position, date.getMilliseconds() * 4e6 + (seconds / 1e3 / 4294967296 >> 0));
			targetView.setUint32(position + 4, seconds);
		} else if (isNaN(seconds)) {
			if (this.onInvalidDate) {
				allocateForWrite(0);
				return pack(this.onInvalidDate());
			}
			let { target, targetView, position } = allocateForWrite(3);
			target[position++] = 212;
			target[position++] = 255;
			target[position++] = 255;
		} else {
			let { target, targetView, position } = allocateForWrite(15);
			target[position++] = 199;
			target[position++] = 12;
			target[position++] = 255;
			targetView.setUint32(position, date.getMilliseconds() * 1e6);
			targetView.setBigInt64(position + 4, BigInt(Math.floor(seconds)));
		}
	} },
	{ pack(set, allocateForWrite, pack) {
		if (this.setAsEmptyObject) {
			allocateForWrite(0);
			return pack({});
		}
		let array = Array.from(set);
		let { target, position } = allocateForWrite(this.moreTypes ? 3 : 0);
		if (this.moreTypes) {
			target[position++] = 212;
			target[position++] = 115;
			target[position++] = 0;
		}
		pack(array);
	} },
	{ pack(error, allocateForWrite, pack) {
		let { target, position } = allocateForWrite(this.moreTypes ? 3 : 0);
		if (this.moreTypes) {
			target[position++] = 212;
			target[position++] = 101;
			target[position++] = 0;
		}
		pack([
			error.name,
			error.message,
			error.cause
		]);
	} },
	{ pack(regex, allocateForWrite, pack) {
		let { target, position } = allocateForWrite(this.moreTypes ? 3 : 0);
		if (this.moreTypes) {
			target[position++] = 212;
			target[position++] = 120;
			target[position++] = 0;
		}
		pack([regex.source, regex.flags]);
	} },
	{ pack(arrayBuffer, allocateForWrite) {
		if (this.moreTypes) writeExtBuffer(arrayBuffer, 16, allocateForWrite);
		else writeBuffer(hasNodeBuffer ? Buffer.from(arrayBuffer) : new Uint8Array(arrayBuffer), allocateForWrite);
	} },
	{ pack(typedArray, allocateForWrite) {
		let constructor = typedArray.constructor;
		if (constructor !== ByteArray && this.moreTypes) writeExtBuffer(typedArray, typedArrays.indexOf(constructor.name), allocateForWrite);
		else writeBuffer(typedArray, allocateForWrite);
	} },
	{ pack(arrayBuffer, allocateForWrite) {
		if (this.moreTypes) writeExtBuffer(arrayBuffer, 17, allocateForWrite);
		else writeBuffer(hasNodeBuffer ? Buffer.from(arrayBuffer) : new Uint8Array(arrayBuffer), allocateForWrite);
	} },
	{ pack(c1, allocateForWrite) {
		let { target, position } = allocateForWrite(1);
		target[position] = 193;
	} }
];
var builtInExtensionCount = extensions.length;
function writeExtBuffer(typedArray, type, allocateForWrite, encode) {
	let length = typedArray.byteLength;
	if (length + 1 < 256) {
		var { target, position } = allocateForWrite(4 + length);
		target[position++] = 199;
		target[position++] = length + 1;
	} else if (length + 1 < 65536) {
		var { target, position } = allocateForWrite(5 + length);
		target[position++] = 200;
		target[position++] = length + 1 >> 8;
		target[position++] = length + 1 & 255;
	} else {
		var { target, position, targetView } = allocateForWrite(7 + length);
		target[position++] = 201;
		targetView.setUint32(position, length + 1);
		position += 4;
	}
	target[position++] = 116;
	target[position++] = type;
	if (!typedArray.buffer) typedArray = new Uint8Array(typedArray);
	target.set(new Uint8Array(typedArray.buffer, typedArray.byteOffset, typedArray.byteLength), position);
}
function writeBuffer(buffer, allocateForWrite) {
	let length = buffer.byteLength;
	var target, position;
	if (length < 256) {
		var { target, position } = allocateForWrite(length + 2);
		target[position++] = 196;
		target[position++] = length;
	} else if (length < 65536) {
		var { target, position } = allocateForWrite(length + 3);
		target[position++] = 197;
		target[position++] = length >> 8;
		target[position++] = length & 255;
	} else {
		var { target, position, targetView } = allocateForWrite(length + 5);
		target[position++] = 198;
		targetView.setUint32(position, length);
		position += 4;
	}
	target.set(buffer, position);
}
function writeExtensionData(result, target, position, type) {
	let length = result.length;
	switch (length) {
		case 1:
			target[position++] = 212;
			break;
		case 2:
			target[position++] = 213;
			break;
		case 4:
			target[position++] = 214;
			break;
		case 8:
			target[position++] = 215;
			break;
		case 16:
			target[position++] = 216;
			break;
		default: if (length < 256) {
			target[position++] = 199;
			target[position++] = length;
		} else if (length < 65536) {
			target[position++] = 200;
			target[position++] = length >> 8;
			target[position++] = length & 255;
		} else {
			target[position++] = 201;
			target[position++] = length >> 24;
			target[position++] = length >> 16 & 255;
			target[position++] = length >> 8 & 255;
			target[position++] = length & 255;
		}
	}
	target[position++] = type;
	target.set(result, position);
	position += length;
	return position;
}
function insertIds(serialized, idsToInsert) {
	let nextId;
	let distanceToMove = idsToInsert.length * 6;
	let lastEnd = serialized.length - distanceToMove;
	while (nextId = idsToInsert.pop()) {
		let offset = nextId.offset;
		let id = nextId.id;
		serialized.copyWithin(offset + distanceToMove, offset, lastEnd);
		distanceToMove -= 6;
		let position = offset + distanceToMove;
		serialized[position++] = 214;
		serialized[position++] = 105;
		serialized[position++] = id >> 24;
		serialized[position++] = id >> 16 & 255;
		serialized[position++] = id >> 8 & 255;
		serialized[position++] = id & 255;
		lastEnd = offset;
	}
	return serialized;
}
function writeBundles(start, pack, incrementPosition) {
	if (bundledStrings.length > 0) {
		targetView.setUint32(bundledStrings.position + start, position + incrementPosition - bundledStrings.position - start);
		bundledStrings.stringsPosition = position - start;
		let writeStrings = bundledStrings;
		bundledStrings = null;
		pack(writeStrings[0]);
		pack(writeStrings[1]);
	}
}
function prepareStructures(structures, packr) {
	structures.isCompatible = (existingStructures) => {
		let compatible = !existingStructures || (packr.lastNamedStructuresLength || 0) === existingStructures.length;
		if (!compatible) packr._mergeStructures(existingStructures);
		return compatible;
	};
	return structures;
}
Packr.SUPPORTS_STRUCT_HOOKS = true;
var defaultPackr = new Packr({ useRecords: false });
defaultPackr.pack;
defaultPackr.pack;
var { NEVER, ALWAYS, DECIMAL_ROUND, DECIMAL_FIT } = FLOAT32_OPTIONS;
// ../../node_modules/.pnpm/detect-libc@2.1.2/node_modules/detect-libc/lib/process.js
var require_process = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var isLinux = () => process.platform === "linux";
	var report = null;
	var getReport = () => {
		if (!report) {
			/* istanbul ignore next */
			if (isLinux() && process.report) {
				const orig = process.report.excludeNetwork;
				process.report.excludeNetwork = true;
				report = process.report.getReport();
				process.report.excludeNetwork = orig;
			} else report = {};
		}
		return report;
	};
	module.exports = {
		isLinux,
		getReport
	};
}));
// ../../node_modules/.pnpm/detect-libc@2.1.2/node_modules/detect-libc/lib/filesystem.js
var require_filesystem = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var fs = __require("fs");
	var LDD_PATH = "/usr/bin/ldd";
	var SELF_PATH = "/proc/self/exe";
	var MAX_LENGTH = 2048;
	/**
	* Read the content of a file synchronous
	*
	* @param {string} path
	* @returns {Buffer}
	*/
	var readFileSync = (path) => {
		const fd = fs.openSync(path, "r");
		const buffer = Buffer.alloc(MAX_LENGTH);
		const bytesRead = fs.readSync(fd, buffer, 0, MAX_LENGTH, 0);
		fs.close(fd, () => {});
		return buffer.subarray(0, bytesRead);
	};
	/**
	* Read the content of a file
	*
	* @param {string} path
	* @returns {Promise<Buffer>}
	*/
	var readFile = (path) => new Promise((resolve, reject) => {
		fs.open(path, "r", (err, fd) => {
			if (err) reject(err);
			else {
				const buffer = Buffer.alloc(MAX_LENGTH);
				fs.read(fd, buffer, 0, MAX_LENGTH, 0, (_, bytesRead) => {
					resolve(buffer.subarray(0, bytesRead));
					fs.close(fd, () => {});
				});
			}
		});
	});
	module.exports = {
		LDD_PATH,
		SELF_PATH,
		readFileSync,
		readFile
	};
}));
// ../../node_modules/.pnpm/detect-libc@2.1.2/node_modules/detect-libc/lib/elf.js
var require_elf = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var interpreterPath = (elf) => {
		if (elf.length < 64) return null;
		if (elf.readUInt32BE(0) !== 2135247942) return null;
		if (elf.readUInt8(4) !== 2) return null;
		if (elf.readUInt8(5) !== 1) return null;
		const offset = elf.readUInt32LE(32);
		const size = elf.readUInt16LE(54);
		const count = elf.readUInt16LE(56);
		for (let i = 0; i < count; i++) {
			const headerOffset = offset + i * size;
			if (elf.readUInt32LE(headerOffset) === 3) {
				const fileOffset = elf.readUInt32LE(headerOffset + 8);
				const fileSize = elf.readUInt32LE(headerOffset + 32);
				return elf.subarray(fileOffset, fileOffset + fileSize).toString().replace(/\0.*$/g, "");
			}
		}
		return null;
	};
	module.exports = { interpreterPath };
}));
// ../../node_modules/.pnpm/detect-libc@2.1.2/node_modules/detect-libc/lib/detect-libc.js
var require_detect_libc = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var childProcess = __require("child_process");
	var { isLinux, getReport } = require_process();
	var { LDD_PATH, SELF_PATH, readFile, readFileSync } = require_filesystem();
	var { interpreterPath } = require_elf();
	var cachedFamilyInterpreter;
	var cachedFamilyFilesystem;
	var cachedVersionFilesystem;
	var command = "getconf GNU_LIBC_VERSION 2>&1 || true; ldd --version 2>&1 || true";
	var commandOut = "";
	var safeCommand = () => {
		if (!commandOut) return new Promise((resolve) => {
			childProcess.exec(command, (err, out) => {
				commandOut = err ? " " : out;
				resolve(commandOut);
			});
		});
		return commandOut;
	};
	var safeCommandSync = () => {
		if (!commandOut) try {
			commandOut = childProcess.execSync(command, { encoding: "utf8" });
		} catch (_err) {
			commandOut = " ";
		}
		return commandOut;
	};
	/**
	* A String constant containing the value `glibc`.
	* @type {string}
	* @public
	*/
	var GLIBC = "glibc";
	/**
	* A Regexp constant to get the GLIBC Version.
	* @type {string}
	*/
	var RE_GLIBC_VERSION = /LIBC[a-z0-9 \-).]*?(\d+\.\d+)/i;
	/**
	* A String constant containing the value `musl`.
	* @type {string}
	* @public
	*/
	var MUSL = "musl";
	var isFileMusl = (f) => f.includes("libc.musl-") || f.includes("ld-musl-");
	var familyFromReport = () => {
		const report = getReport();
		if (report.header && report.header.glibcVersionRuntime) return GLIBC;
		if (Array.isArray(report.sharedObjects)) {
			if (report.sharedObjects.some(isFileMusl)) return MUSL;
		}
		return null;
	};
	var familyFromCommand = (out) => {
		const [getconf, ldd1] = out.split(/[\r\n]+/);
		if (getconf && getconf.includes(GLIBC)) return GLIBC;
		if (ldd1 && ldd1.includes(MUSL)) return MUSL;
		return null;
	};
	var familyFromInterpreterPath = (path) => {
		if (path) {
			if (path.includes("/ld-musl-")) return MUSL;
			else if (path.includes("/ld-linux-")) return GLIBC;
		}
		return null;
	};
	var getFamilyFromLddContent = (content) => {
		content = content.toString();
		if (content.includes("musl")) return MUSL;
		if (content.includes("GNU C Library")) return GLIBC;
		return null;
	};
	var familyFromFilesystem = async () => {
		if (cachedFamilyFilesystem !== void 0) return cachedFamilyFilesystem;
		cachedFamilyFilesystem = null;
		try {
			cachedFamilyFilesystem = getFamilyFromLddContent(await readFile(LDD_PATH));
		} catch (e) {}
		return cachedFamilyFilesystem;
	};
	var familyFromFilesystemSync = () => {
		if (cachedFamilyFilesystem !== void 0) return cachedFamilyFilesystem;
		cachedFamilyFilesystem = null;
		try {
			cachedFamilyFilesystem = getFamilyFromLddContent(readFileSync(LDD_PATH));
		} catch (e) {}
		return cachedFamilyFilesystem;
	};
	var familyFromInterpreter = async () => {
		if (cachedFamilyInterpreter !== void 0) return cachedFamilyInterpreter;
		cachedFamilyInterpreter = null;
		try {
			cachedFamilyInterpreter = familyFromInterpreterPath(interpreterPath(await readFile(SELF_PATH)));
		} catch (e) {}
		return cachedFamilyInterpreter;
	};
	var familyFromInterpreterSync = () => {
		if (cachedFamilyInterpreter !== void 0) return cachedFamilyInterpreter;
		cachedFamilyInterpreter = null;
		try {
			cachedFamilyInterpreter = familyFromInterpreterPath(interpreterPath(readFileSync(SELF_PATH)));
		} catch (e) {}
		return cachedFamilyInterpreter;
	};
	/**
	* Resolves with the libc family when it can be determined, `null` otherwise.
	* @returns {Promise<?string>}
	*/
	var family = async () => {
		let family = null;
		if (isLinux()) {
			family = await familyFromInterpreter();
			if (!family) {
				family = await familyFromFilesystem();
				if (!family) family = familyFromReport();
				if (!family) family = familyFromCommand(await safeCommand());
			}
		}
		return family;
	};
	/**
	* Returns the libc family when it can be determined, `null` otherwise.
	* @returns {?string}
	*/
	var familySync = () => {
		let family = null;
		if (isLinux()) {
			family = familyFromInterpreterSync();
			if (!family) {
				family = familyFromFilesystemSync();
				if (!family) family = familyFromReport();
				if (!family) family = familyFromCommand(safeCommandSync());
			}
		}
		return family;
	};
	/**
	* Resolves `true` only when the platform is Linux and the libc family is not `glibc`.
	* @returns {Promise<boolean>}
	*/
	var isNonGlibcLinux = async () => isLinux() && await family() !== GLIBC;
	/**
	* Returns `true` only when the platform is Linux and the libc family is not `glibc`.
	* @returns {boolean}
	*/
	var isNonGlibcLinuxSync = () => isLinux() && familySync() !== GLIBC;
	var versionFromFilesystem = async () => {
		if (cachedVersionFilesystem !== void 0) return cachedVersionFilesystem;
		cachedVersionFilesystem = null;
		try {
			const versionMatch = (await readFile(LDD_PATH)).match(RE_GLIBC_VERSION);
			if (versionMatch) cachedVersionFilesystem = versionMatch[1];
		} catch (e) {}
		return cachedVersionFilesystem;
	};
	var versionFromFilesystemSync = () => {
		if (cachedVersionFilesystem !== void 0) return cachedVersionFilesystem;
		cachedVersionFilesystem = null;
		try {
			const versionMatch = readFileSync(LDD_PATH).match(RE_GLIBC_VERSION);
			if (versionMatch) cachedVersionFilesystem = versionMatch[1];
		} catch (e) {}
		return cachedVersionFilesystem;
	};
	var versionFromReport = () => {
		const report = getReport();
		if (report.header && report.header.glibcVersionRuntime) return report.header.glibcVersionRuntime;
		return null;
	};
	var versionSuffix = (s) => s.trim().split(/\s+/)[1];
	var versionFromCommand = (out) => {
		const [getconf, ldd1, ldd2] = out.split(/[\r\n]+/);
		if (getconf && getconf.includes(GLIBC)) return versionSuffix(getconf);
		if (ldd1 && ldd2 && ldd1.includes(MUSL)) return versionSuffix(ldd2);
		return null;
	};
	/**
	* Resolves with the libc version when it can be determined, `null` otherwise.
	* @returns {Promise<?string>}
	*/
	var version = async () => {
		let version = null;
		if (isLinux()) {
			version = await versionFromFilesystem();
			if (!version) version = versionFromReport();
			if (!version) version = versionFromCommand(await safeCommand());
		}
		return version;
	};
	/**
	* Returns the libc version when it can be determined, `null` otherwise.
	* @returns {?string}
	*/
	var versionSync = () => {
		let version = null;
		if (isLinux()) {
			version = versionFromFilesystemSync();
			if (!version) version = versionFromReport();
			if (!version) version = versionFromCommand(safeCommandSync());
		}
		return version;
	};
	module.exports = {
		GLIBC,
		MUSL,
		family,
		familySync,
		isNonGlibcLinux,
		isNonGlibcLinuxSync,
		version,
		versionSync
	};
}));
// ../../node_modules/.pnpm/node-gyp-build-optional-packages@5.2.2/node_modules/node-gyp-build-optional-packages/node-gyp-build.js
var require_node_gyp_build = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var fs = __require("fs");
	var path = __require("path");
	var url = __require("url");
	var os = __require("os");
	var runtimeRequire = typeof __webpack_require__ === "function" ? __non_webpack_require__ : __require;
	var vars = process.config && process.config.variables || {};
	var prebuildsOnly = !!process.env.PREBUILDS_ONLY;
	var versions = process.versions;
	var abi = versions.modules;
	if (versions.deno || process.isBun) abi = "unsupported";
	var runtime = isElectron() ? "electron" : isNwjs() ? "node-webkit" : "node";
	var arch = process.env.npm_config_arch || os.arch();
	var platform = process.env.npm_config_platform || os.platform();
	var libc = process.env.LIBC || (isMusl(platform) ? "musl" : "glibc");
	var armv = process.env.ARM_VERSION || (arch === "arm64" ? "8" : vars.arm_version) || "";
	var uv = (versions.uv || "").split(".")[0];
	module.exports = load;
	function load(dir) {
		return runtimeRequire(load.resolve(dir));
	}
	load.resolve = load.path = function(dir) {
		dir = path.resolve(dir || ".");
		var packageName = "";
		var packageNameError;
		try {
			packageName = runtimeRequire(path.join(dir, "package.json")).name;
			var varName = packageName.toUpperCase().replace(/-/g, "_");
			if (process.env[varName + "_PREBUILD"]) dir = process.env[varName + "_PREBUILD"];
		} catch (err) {
			packageNameError = err;
		}
		if (!prebuildsOnly) {
			var release = getFirst(path.join(dir, "build/Release"), matchBuild);
			if (release) return release;
			var debug = getFirst(path.join(dir, "build/Debug"), matchBuild);
			if (debug) return debug;
		}
		var prebuild = resolve(dir);
		if (prebuild) return prebuild;
		var nearby = resolve(path.dirname(process.execPath));
		if (nearby) return nearby;
		var platformPackage = (packageName[0] == "@" ? "" : "@" + packageName + "/") + packageName + "-" + platform + "-" + arch;
		var packageResolutionError;
		try {
			return resolveFile(path.dirname(__require("module").createRequire(url.pathToFileURL(path.join(dir, "package.json"))).resolve(platformPackage)));
		} catch (error) {
			packageResolutionError = error;
		}
		let errMessage = "No native build was found for " + [
			"platform=" + platform,
			"arch=" + arch,
			"runtime=" + runtime,
			"abi=" + abi,
			"uv=" + uv,
			armv ? "armv=" + armv : "",
			"libc=" + libc,
			"node=" + process.versions.node,
			process.versions.electron ? "electron=" + process.versions.electron : "",
			typeof __webpack_require__ === "function" ? "webpack=true" : ""
		].filter(Boolean).join(" ") + "\n    attempted loading from: " + dir + " and package: " + platformPackage + "\n";
		if (packageNameError) errMessage += "Error finding package.json: " + packageNameError.message + "\n";
		if (packageResolutionError) errMessage += "Error resolving package: " + packageResolutionError.message + "\n";
		throw new Error(errMessage);
		function resolve(dir) {
			var tuple = readdirSync(path.join(dir, "prebuilds")).map(parseTuple).filter(matchTuple(platform, arch)).sort(compareTuples)[0];
			if (!tuple) return;
			return resolveFile(path.join(dir, "prebuilds", tuple.name));
		}
		function resolveFile(prebuilds) {
			var winner = readdirSync(prebuilds).map(parseTags).filter(matchTags(runtime, abi)).sort(compareTags(runtime))[0];
			if (winner) return path.join(prebuilds, winner.file);
		}
	};
	function readdirSync(dir) {
		try {
			return fs.readdirSync(dir);
		} catch (err) {
			return [];
		}
	}
	function getFirst(dir, filter) {
		var files = readdirSync(dir).filter(filter);
		return files[0] && path.join(dir, files[0]);
	}
	function matchBuild(name) {
		return /\.node$/.test(name);
	}
	function parseTuple(name) {
		var arr = name.split("-");
		if (arr.length !== 2) return;
		var platform = arr[0];
		var architectures = arr[1].split("+");
		if (!platform) return;
		if (!architectures.length) return;
		if (!architectures.every(Boolean)) return;
		return {
			name,
			platform,
			architectures
		};
	}
	function matchTuple(platform, arch) {
		return function(tuple) {
			if (tuple == null) return false;
			if (tuple.platform !== platform) return false;
			return tuple.architectures.includes(arch);
		};
	}
	function compareTuples(a, b) {
		return a.architectures.length - b.architectures.length;
	}
	function parseTags(file) {
		var arr = file.split(".");
		var extension = arr.pop();
		var tags = {
			file,
			specificity: 0
		};
		if (extension !== "node") return;
		for (var i = 0; i < arr.length; i++) {
			var tag = arr[i];
			if (tag === "node" || tag === "electron" || tag === "node-webkit") tags.runtime = tag;
			else if (tag === "napi") tags.napi = true;
			else if (tag.slice(0, 3) === "abi") tags.abi = tag.slice(3);
			else if (tag.slice(0, 2) === "uv") tags.uv = tag.slice(2);
			else if (tag.slice(0, 4) === "armv") tags.armv = tag.slice(4);
			else if (tag === "glibc" || tag === "musl") tags.libc = tag;
			else continue;
			tags.specificity++;
		}
		return tags;
	}
	function matchTags(runtime, abi) {
		return function(tags) {
			if (tags == null) return false;
			if (tags.runtime !== runtime && !runtimeAgnostic(tags)) return false;
			if (tags.abi !== abi && !tags.napi) return false;
			if (tags.uv && tags.uv !== uv) return false;
			if (tags.armv && tags.armv !== armv) return false;
			if (tags.libc && tags.libc !== libc) return false;
			return true;
		};
	}
	function runtimeAgnostic(tags) {
		return tags.runtime === "node" && tags.napi;
	}
	function compareTags(runtime) {
		return function(a, b) {
			if (a.runtime !== b.runtime) return a.runtime === runtime ? -1 : 1;
			else if (a.abi !== b.abi) return a.abi ? -1 : 1;
			else if (a.specificity !== b.specificity) return a.specificity > b.specificity ? -1 : 1;
			else return 0;
		};
	}
	function isNwjs() {
		return !!(process.versions && process.versions.nw);
	}
	function isElectron() {
		if (process.versions && process.versions.electron) return true;
		if (process.env.ELECTRON_RUN_AS_NODE) return true;
		return typeof window !== "undefined" && window.process && window.process.type === "renderer";
	}
	function isMusl(platform) {
		if (platform !== "linux") return false;
		const { familySync, MUSL } = require_detect_libc();
		return familySync() === MUSL;
	}
	load.parseTags = parseTags;
	load.matchTags = matchTags;
	load.compareTags = compareTags;
	load.parseTuple = parseTuple;
	load.matchTuple = matchTuple;
	load.compareTuples = compareTuples;
}));
// ../../node_modules/.pnpm/node-gyp-build-optional-packages@5.2.2/node_modules/node-gyp-build-optional-packages/index.js
var require_node_gyp_build_optional_packages = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var runtimeRequire = typeof __webpack_require__ === "function" ? __non_webpack_require__ : __require;
	if (typeof runtimeRequire.addon === "function") module.exports = runtimeRequire.addon.bind(runtimeRequire);
	else module.exports = require_node_gyp_build();
}));
// ../../node_modules/.pnpm/msgpackr-extract@3.0.7/node_modules/msgpackr-extract/index.js
var require_msgpackr_extract = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	module.exports = require_node_gyp_build_optional_packages()(__dirname);
}));
// ../../node_modules/.pnpm/msgpackr@2.1.3/node_modules/msgpackr/node-index.js
if (!(process.env.MSGPACKR_NATIVE_ACCELERATION_DISABLED !== void 0 && process.env.MSGPACKR_NATIVE_ACCELERATION_DISABLED.toLowerCase() === "true")) {
	let extractor;
	try {
		if (typeof __require == "function") extractor = require_msgpackr_extract();
		else extractor = createRequire$1(import.meta.url)("msgpackr-extract");
		if (extractor) setExtractor(extractor.extractStrings);
	} catch (error) {}
}
// ../../packages/protocol/src/errors.ts
/** A mistake of the caller. The message names field, value and what was expected. */
var ConfigError = class extends Error {
	field;
	value;
	expected;
	constructor({ field, value, expected }) {
		super(`${field}: expected ${expected}, got ${printed(value)}`);
		this.name = "ConfigError";
		this.field = field;
		this.value = value;
		this.expected = expected;
	}
};
/** An outcome of the world: a refusal, a time-out, a full queue. Delivered by rejection or event. */
var NetError = class extends Error {
	/** One of {@link errorCodes}: stable, listed in docs/ERRORS.md. */
	code;
	/** Whether the same call may succeed later. */
	retryable;
	constructor(code, message, options = {}) {
		super(`${message} [${code}]`, options.cause === void 0 ? void 0 : { cause: options.cause });
		this.name = "NetError";
		this.code = code;
		this.retryable = options.retryable ?? false;
	}
};
function printed(value) {
	if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
	if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object";
	return String(value);
}
// ../../packages/protocol/src/msgpack-check.ts
/**
* Whether the bytes are exactly one msgpack value that `encodeValue` could mean: no extensions, finite numbers, text
* in UTF-8, text as keys, no deeper than allowed, and lengths that fit into what is there. Checked before decoding,
* since a decoder reserves memory for the lengths it reads (five bytes may claim 30 million items), and one that
* meets broken UTF-8 may go on reading at the wrong place.
*/
function isWellFormed(bytes) {
	const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const levels = [{
		left: 1,
		isMap: false
	}];
	let at = 0;
	for (let level = levels.at(-1); level; level = levels.at(-1)) {
		if (level.left === 0) {
			levels.pop();
			continue;
		}
		const isKey = level.isMap && level.left % 2 === 0;
		level.left -= 1;
		const head = at < bytes.length ? headAt(data, at) : void 0;
		if (head === void 0 || head.items > bytes.length - at - head.bytes) return false;
		if (!isGood(head, bytes.subarray(at, at + head.bytes), isKey)) return false;
		at += head.bytes;
		if (head.items > 0) levels.push({
			left: head.items,
			isMap: head.holds === "map"
		});
		if (levels.length > limits.nestingDepth + 1) return false;
	}
	return at === bytes.length;
}
function isGood({ holds, prefix }, encoded, isKey) {
	if (holds === "float") return isFiniteFloat(encoded);
	if (holds !== "text") return !isKey;
	const text = decodeUtf8(encoded.subarray(prefix));
	return text !== void 0 && !(isKey && text === "__proto__");
}
/** Infinity and NaN are the numbers whose exponent is all ones. */
function isFiniteFloat(encoded) {
	const exponent = ((encoded[1] ?? 0) & 127) << 8 | (encoded[2] ?? 0);
	const allOnes = encoded.length === 5 ? 32640 : 32752;
	return (exponent & allOnes) !== allOnes;
}
/** What the byte at `at` begins (msgpack specification, formats); undefined: an extension, or cut off. */
function headAt(data, at) {
	const format = data.getUint8(at);
	if (format <= 127 || format >= 224) return {
		holds: "other",
		bytes: 1,
		items: 0,
		prefix: 1
	};
	if (format <= 143) return {
		holds: "map",
		bytes: 1,
		items: (format & 15) * 2,
		prefix: 1
	};
	if (format <= 159) return {
		holds: "other",
		bytes: 1,
		items: format & 15,
		prefix: 1
	};
	if (format <= 191) return {
		holds: "text",
		bytes: 1 + (format & 31),
		items: 0,
		prefix: 1
	};
	const bytes = fixedBytes.get(format);
	if (bytes === void 0) return sizedHead(data, at, format);
	return {
		holds: format === 202 || format === 203 ? "float" : "other",
		bytes,
		items: 0,
		prefix: 1
	};
}
/** Formats of a fixed size, in bytes: nil, booleans, floats and integers. */
var fixedBytes = new Map([
	...[
		192,
		194,
		195
	].map((format) => [format, 1]),
	...[204, 208].map((format) => [format, 2]),
	...[205, 209].map((format) => [format, 3]),
	...[
		202,
		206,
		210
	].map((format) => [format, 5]),
	...[
		203,
		207,
		211
	].map((format) => [format, 9])
]);
/** Formats whose length follows: width of the length in bytes, and what it counts. */
var sized = {
	196: [1, "bytes"],
	197: [2, "bytes"],
	198: [4, "bytes"],
	217: [1, "text"],
	218: [2, "text"],
	219: [4, "text"],
	220: [2, "items"],
	221: [4, "items"],
	222: [2, "pairs"],
	223: [4, "pairs"]
};
function sizedHead(data, at, format) {
	const entry = sized[format];
	if (entry === void 0) return void 0;
	const [width, counts] = entry;
	const prefix = 1 + width;
	if (at + prefix > data.byteLength) return void 0;
	const length = width === 1 ? data.getUint8(at + 1) : width === 2 ? data.getUint16(at + 1) : data.getUint32(at + 1);
	switch (counts) {
		case "text": return {
			holds: "text",
			bytes: prefix + length,
			items: 0,
			prefix
		};
		case "bytes": return {
			holds: "other",
			bytes: prefix + length,
			items: 0,
			prefix
		};
		case "items": return {
			holds: "other",
			bytes: prefix,
			items: length,
			prefix
		};
		case "pairs": return {
			holds: "map",
			bytes: prefix,
			items: length * 2,
			prefix
		};
	}
}
// ../../packages/protocol/src/value-codec.ts
/**
* Values of rare messages (control, commands, requests) as msgpack: never per tick. Plain data only: null,
* booleans, finite numbers, text, bytes, arrays and plain objects. Records and extensions are off, so that any
* msgpack reader understands the bytes and no code is generated from them.
*/
var packer = new Packr({
	useRecords: false,
	variableMapSize: true,
	encodeUndefinedAsNil: true
});
var unpacker = new Unpackr({
	useRecords: false,
	mapsAsObjects: true,
	int64AsType: "number"
});
/**
* Encodes plain data. Throws {@link ConfigError} naming the path (`message.cars[2].owner`) of anything else.
* `undefined` is written as null.
*/
function encodeValue(value, name = "message") {
	assertPlain(value, name, 0);
	return new Uint8Array(packer.pack(value));
}
/** Decodes untrusted bytes; undefined where they are not exactly one well-formed plain value. Never throws. */
function decodeValue(bytes) {
	if (!isWellFormed(bytes)) return void 0;
	try {
		return { value: unpacker.unpack(bytes) };
	} catch {
		return;
	}
}
function assertPlain(value, path, depth) {
	if (depth > limits.nestingDepth) throw plainError(path, value, `at most ${limits.nestingDepth} levels of nesting`);
	switch (typeof value) {
		case "string": return assertUnicode(value, path);
		case "boolean":
		case "undefined": return;
		case "number":
			if (!Number.isFinite(value)) throw plainError(path, value, "a finite number");
			return;
		case "object":
			if (value === null || value instanceof Uint8Array) return;
			return assertPlainObject(value, path, depth);
		default: throw plainError(path, value, "plain data (null, boolean, number, text, bytes, array, object)");
	}
}
function assertPlainObject(value, path, depth) {
	if (Array.isArray(value)) {
		value.forEach((item, index) => assertPlain(item, `${path}[${index}]`, depth + 1));
		return;
	}
	const prototype = Object.getPrototypeOf(value);
	if (prototype !== Object.prototype && prototype !== null) throw plainError(path, value, "plain data (not an instance of a class)");
	for (const [key, item] of Object.entries(value)) {
		assertUnicode(key, path);
		if (key === "__proto__") throw plainError(path, key, "no property of that name");
		assertPlain(item, `${path}.${key}`, depth + 1);
	}
}
/** Half of a surrogate pair (text cut inside an emoji) has no UTF-8: receivers would drop the whole message. */
function assertUnicode(text, path) {
	if (/\p{Surrogate}/u.test(text)) throw plainError(path, text, "text without halves of surrogate pairs");
}
function plainError(field, value, expected) {
	return new ConfigError({
		field,
		value: typeof value === "function" ? "a function" : value,
		expected
	});
}
// ../../packages/protocol/src/control.ts
/** Reads a control message of the server; undefined where it is none. */
function readServerMessage(bytes) {
	const message = fieldsOf$1(bytes);
	if (message === void 0) return void 0;
	switch (message.type) {
		case "welcome": return welcomeOf(message);
		case "resumed": return { type: "resumed" };
		case "joined": {
			const peer = peerOf(message.peer);
			return peer && {
				type: "joined",
				peer
			};
		}
		case "left": return isNumber16(message.number) ? {
			type: "left",
			number: message.number
		} : void 0;
		case "capabilities": return isNumber16(message.number) && typeof message.webrtc === "boolean" ? {
			type: "capabilities",
			number: message.number,
			webrtc: message.webrtc
		} : void 0;
		case "signal": return isNumber16(message.from) && isNumber16(message.attempt) ? {
			type: "signal",
			from: message.from,
			attempt: message.attempt,
			data: message.data
		} : void 0;
		default: return;
	}
}
function welcomeOf(message) {
	const { sessionId, token, number, roomId, roomName, peers, iceServers } = message;
	if (!(isText(sessionId) && isText(token) && isText(roomId) && isText(roomName)) || !isNumber16(number) || !Array.isArray(peers) || !Array.isArray(iceServers)) return;
	const known = peers.map(peerOf);
	const servers = iceServers.map(iceServerOf);
	if (known.includes(void 0) || servers.includes(void 0)) return void 0;
	return {
		type: "welcome",
		sessionId,
		token,
		number,
		roomId,
		roomName,
		peers: known,
		iceServers: servers
	};
}
function peerOf(value) {
	if (!isFields(value) || !isNumber16(value.number) || !isText(value.id)) return void 0;
	return typeof value.webrtc === "boolean" ? {
		number: value.number,
		id: value.id,
		webrtc: value.webrtc
	} : void 0;
}
function iceServerOf(value) {
	if (!isFields(value) || !isText(value.urls)) return void 0;
	const { urls, username, credential } = value;
	return isText(username) && isText(credential) ? {
		urls,
		username,
		credential
	} : { urls };
}
function fieldsOf$1(bytes) {
	const decoded = decodeValue(bytes);
	return decoded && isFields(decoded.value) ? decoded.value : void 0;
}
function isFields(value) {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
function isText(value) {
	return typeof value === "string" && value.length > 0 && value.length <= 1024;
}
function isNumber16(value) {
	return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 65535;
}
// ../../packages/protocol/src/entity-definition.ts
var axes$1 = [
	"x",
	"y",
	"z"
];
var reserved = /* @__PURE__ */ new Set([
	"id",
	"owner",
	"isMine",
	"shown",
	"lastTick",
	"ageMs",
	"turnRate"
]);
var componentCounts = {
	vec2: 2,
	vec3: 3,
	angle: 1,
	scalar: 1,
	int: 1,
	flag: 1
};
/** Bound for a derived velocity (m/s) and turn rate (rad/s): far above any game, finite for the check on receipt. */
var DERIVED_MAX = 1e6;
/** Describes a kind of entity. Throws {@link ConfigError} for a bad name, field, threshold or motion. */
function defineEntity(name, fields, options = {}) {
	assertName("entity name", name);
	const components = [];
	const offsets = {};
	for (const [fieldName, field] of Object.entries(fields)) {
		assertName(`${name} field name`, fieldName);
		if (reserved.has(fieldName)) throw new ConfigError({
			field: `${name}.${fieldName}`,
			value: fieldName,
			expected: "a name that is not reserved"
		});
		offsets[fieldName] = components.length;
		components.push(...componentsOf(fieldName, field));
	}
	if (components.length === 0) throw new ConfigError({
		field: name,
		value: "no fields",
		expected: "at least one field"
	});
	const motion = options.motion ?? "hold";
	const motionLayout = layoutMotion(name, fields, motion, offsets, components);
	assertThresholds(name, fields, options.threshold ?? {});
	assertHeartbeat(name, options.heartbeatMs);
	return Object.freeze({
		name,
		fields,
		motion,
		threshold: { ...options.threshold },
		heartbeatMs: options.heartbeatMs,
		components,
		offsets,
		motionLayout,
		schemaHash: hashOf([
			name,
			motion,
			...components.map((c) => `${c.name}:${c.kind}:${c.min}:${c.max}`)
		].join("|"))
	});
}
function componentsOf(name, field) {
	const [min, max] = field.range;
	const { unit } = field;
	switch (field.kind) {
		case "vec2":
		case "vec3": return axes$1.slice(0, componentCounts[field.kind]).map((axis) => ({
			name: `${name}.${axis}`,
			kind: "number",
			min,
			max,
			unit
		}));
		case "scalar": return [{
			name,
			kind: "number",
			min,
			max,
			unit
		}];
		case "angle":
		case "int":
		case "flag": return [{
			name,
			kind: field.kind,
			min,
			max,
			unit
		}];
	}
}
function layoutMotion(name, fields, motion, offsets, components) {
	if (motion === "hold") return void 0;
	if (motion !== "velocity") throw new ConfigError({
		field: `${name}.motion`,
		value: motion,
		expected: `"hold" or "velocity"`
	});
	const position = fields.position;
	if (position?.kind !== "vec2" && position?.kind !== "vec3") throw new ConfigError({
		field: `${name}.position`,
		value: position?.kind,
		expected: `a vec2 or vec3, since motion is "velocity"`
	});
	const dimensions = componentCounts[position.kind];
	const isVelocityDeclared = fields.velocity?.kind === position.kind;
	const velocity = isVelocityDeclared ? offsets.velocity : components.length;
	if (!isVelocityDeclared) for (const axis of axes$1.slice(0, dimensions)) components.push(derived(`velocity.${axis}`, "m/s"));
	const heading = fields.heading?.kind === "angle" ? offsets.heading : void 0;
	const turnRate = heading === void 0 ? void 0 : components.push(derived("turnRate", "rad/s")) - 1;
	return {
		position: offsets.position,
		dimensions,
		velocity,
		isVelocityDeclared,
		heading,
		turnRate
	};
}
function derived(name, unit) {
	return {
		name,
		kind: "number",
		min: -1e6,
		max: DERIVED_MAX,
		unit
	};
}
function assertName(field, name) {
	if (typeof name !== "string" || !/^[A-Za-z][A-Za-z0-9_-]*$/.test(name) || name.length > limits.nameBytes) throw new ConfigError({
		field,
		value: name,
		expected: `1 to ${limits.nameBytes} letters, digits, - or _, a letter first`
	});
}
function assertThresholds(name, fields, threshold) {
	for (const [field, value] of Object.entries(threshold)) {
		const known = Object.hasOwn(fields, field) ? fields[field] : void 0;
		if (known === void 0) throw new ConfigError({
			field: `${name}.threshold.${field}`,
			value,
			expected: `one of ${Object.keys(fields).join(", ")}`
		});
		if (value === void 0 || !(value > 0) || !Number.isFinite(value)) throw new ConfigError({
			field: `${name}.threshold.${field}`,
			value,
			expected: `a number above 0 (${known.unit || "no unit"})`
		});
	}
}
function assertHeartbeat(name, heartbeatMs) {
	if (heartbeatMs === void 0) return;
	if (typeof heartbeatMs === "number" && heartbeatMs >= 50 && heartbeatMs <= 6e4) return;
	throw new ConfigError({
		field: `${name}.heartbeatMs`,
		value: heartbeatMs,
		expected: "50 to 60000 ms"
	});
}
/** FNV-1a, 32 bits (Fowler, Noll, Vo). */
function hashOf(text) {
	let hash = 2166136261;
	for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 16777619);
	return hash >>> 0;
}
// ../../packages/protocol/src/entity-fields.ts
/** Two numbers of one range: `position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" })`. */
function vec2(options) {
	return ranged("vec2", options);
}
/** One number. */
function scalar(options) {
	return ranged("scalar", options);
}
/** A direction in radians. Any finite value may be written; it is kept in [-pi, pi). */
function angle(options) {
	if (options.unit !== "rad") throw new ConfigError({
		field: "angle.unit",
		value: options.unit,
		expected: `"rad"`
	});
	return ranged("angle", {
		...options,
		range: [-Math.PI, Math.PI]
	});
}
/** True or false. */
function flag() {
	return {
		kind: "flag",
		range: [0, 1],
		precision: 1,
		unit: ""
	};
}
function ranged(kind, options) {
	const { precision, unit = "" } = options;
	const [min, max] = boundsOf(kind, options.range);
	if (!Number.isFinite(precision) || precision <= 0 || precision > max - min) throw new ConfigError({
		field: `${kind}.precision`,
		value: precision,
		expected: `a number above 0 and at most the range's width, ${max - min}${unit && ` ${unit}`}`
	});
	return {
		kind,
		range: [min, max],
		precision,
		unit
	};
}
/** A range as it was given, if it is one. A bound beyond Float32 would let infinity through. */
function boundsOf(kind, range) {
	const bounds = Array.isArray(range) ? range : [];
	const [min, max] = bounds;
	if (typeof min === "number" && typeof max === "number" && bounds.length === 2 && min < max && Number.isFinite(Math.fround(min)) && Number.isFinite(Math.fround(max))) return [min, max];
	throw new ConfigError({
		field: `${kind}.range`,
		value: bounds.length > 0 ? `[${bounds.join(", ")}]` : range,
		expected: "[min, max] with finite min < max, both within a Float32"
	});
}
// ../../packages/protocol/src/packet.ts
/** Flags: the low four bits of a packet's first byte. */
var PacketFlag = {
	routed: 1,
	acks: 2,
	receipt: 4,
	published: 8
};
function writePacketHeader(writer, header) {
	const flags = (header.acks ? PacketFlag.acks : 0) | (header.receipt === void 0 ? 0 : PacketFlag.receipt) | (header.isPublished ? PacketFlag.published : 0);
	writer.u8(16 | flags);
	writer.u16(header.sequence).u32(header.tick);
	if (header.acks) writer.u16(header.acks.ack).u32(header.acks.ackBits);
	if (header.receipt !== void 0) writer.u16(header.receipt);
}
/** Reads a packet that is not routed; a reason instead where it must be dropped. */
function readPacket(bytes) {
	if (bytes.length > limits.reliablePacketBytes) return "too-long";
	const reader = new ByteReader(bytes);
	const first = reader.u8();
	if (!reader.ok) return "too-short";
	if (first >> 4 !== 1) return "version";
	const isPublished = (first & PacketFlag.published) !== 0;
	const isAnswering = (first & (PacketFlag.acks | PacketFlag.receipt)) !== 0;
	if ((first & PacketFlag.routed) !== 0 || isPublished && isAnswering) return "flags";
	const sequence = reader.u16();
	const tick = reader.u32();
	const acks = first & PacketFlag.acks ? {
		ack: reader.u16(),
		ackBits: reader.u32()
	} : void 0;
	const receipt = first & PacketFlag.receipt ? reader.u16() : void 0;
	if (!reader.ok) return "too-short";
	return {
		sequence,
		tick,
		isPublished,
		acks,
		receipt,
		messages: reader.rest()
	};
}
/** Whether the bytes begin like a routed packet (an envelope), of whatever version. */
function isRouted(bytes) {
	return ((bytes[0] ?? 0) & PacketFlag.routed) !== 0;
}
// ../../packages/protocol/src/envelope.ts
var classNames = Object.keys(TrafficClass);
function writeEnvelope(writer, envelope) {
	writer.u8(16 | PacketFlag.routed);
	writer.u8(TrafficClass[envelope.trafficClass]).u16(envelope.key).u8(envelope.peers.length);
	for (const peer of envelope.peers) writer.u16(peer);
	writer.bytes(envelope.packet);
}
/** Reads an envelope; a reason instead where it must be dropped. The packet is a view into `bytes`. */
function readEnvelope(bytes) {
	const reader = new ByteReader(bytes);
	const first = reader.u8();
	if (!reader.ok) return "too-short";
	if (first >> 4 !== 1) return "version";
	if ((first & 15) !== PacketFlag.routed) return "flags";
	const trafficClass = classNames[reader.u8()];
	const key = reader.u16();
	const count = reader.u8();
	if (trafficClass === void 0) return "unknown-kind";
	if (reader.ok && (count === 0 || count > limits.envelopeTargets)) return "length";
	const peers = [];
	for (let index = 0; index < count; index++) peers.push(reader.u16());
	if (!reader.ok || reader.remaining === 0) return "too-short";
	if (reader.remaining > limits.reliablePacketBytes) return "too-long";
	return {
		trafficClass,
		key,
		peers,
		packet: reader.rest()
	};
}
// ../../packages/protocol/src/message.ts
var knownKinds = new Set(Object.values(MessageKind));
function writeMessage(writer, kind, body) {
	writer.u8(kind).varint(body.length).bytes(body);
}
/** Bytes that {@link writeMessage} will write. */
function messageBytes(bodyBytes) {
	return 1 + (bodyBytes < 128 ? 1 : bodyBytes < 16384 ? 2 : 3) + bodyBytes;
}
/**
* The messages of a packet in their order; a reason instead if any is malformed. A message of a kind that this
* version does not know is left out and reported through `onUnknown`, so that later kinds can be added.
*/
function readMessages(bytes, onUnknown) {
	const reader = new ByteReader(bytes);
	const messages = [];
	while (reader.remaining > 0) {
		const kind = reader.u8();
		const body = reader.bytes(reader.varint());
		if (!reader.ok) return "length";
		if (knownKinds.has(kind)) messages.push({
			kind,
			body
		});
		else onUnknown();
	}
	return messages;
}
// ../../packages/protocol/src/payload.ts
/** Throws {@link ConfigError} for a type or a message that may not be sent. */
function writePeerPayload(payload) {
	switch (payload.kind) {
		case "command":
			assertType(payload.type);
			return packed(PayloadKind.command, [payload.type, payload.message]);
		case "request":
			assertType(payload.type);
			return packed(PayloadKind.request, [
				payload.id,
				payload.type,
				payload.message
			]);
		case "reply": return packed(PayloadKind.reply, [
			payload.id,
			payload.ok,
			payload.message
		]);
		case "spawn": return new ByteWriter().u8(PayloadKind.spawn).u16(payload.localId).text(payload.name).u32(payload.schemaHash).u8(payload.tickHz).u32(payload.tick).bytes(payload.state).take();
		case "despawn": return new ByteWriter().u8(PayloadKind.despawn).u16(payload.localId).take();
	}
}
/** Reads what {@link writePeerPayload} wrote; undefined where the bytes are malformed. */
function readPeerPayload(bytes) {
	const kind = bytes[0];
	const body = bytes.subarray(1);
	switch (kind) {
		case PayloadKind.command: return readEvent(body);
		case PayloadKind.request: return requestOf(arrayOf(body, 3));
		case PayloadKind.reply: return replyOf(arrayOf(body, 3));
		case PayloadKind.spawn: return spawnOf(body);
		case PayloadKind.despawn: return body.length === 2 ? {
			kind: "despawn",
			localId: new ByteReader(body).u16()
		} : void 0;
		default: return;
	}
}
/** An event's body: `[type, message]` without a kind before it. Throws as {@link writePeerPayload} does. */
function writeEvent(type, message) {
	assertType(type);
	return encodeValue([type, message]);
}
function readEvent(bytes) {
	const items = arrayOf(bytes, 2);
	if (items === void 0 || !isName(items[0])) return void 0;
	return {
		kind: "command",
		type: items[0],
		message: items[1]
	};
}
/** A control message with its payload kind before it; `read*Message` of control.ts read the rest. */
function writeControl(message) {
	return packed(PayloadKind.control, message);
}
function packed(kind, value) {
	return new ByteWriter().u8(kind).bytes(encodeValue(value)).take();
}
function arrayOf(bytes, length) {
	const decoded = decodeValue(bytes);
	return decoded && Array.isArray(decoded.value) && decoded.value.length === length ? decoded.value : void 0;
}
function requestOf(items) {
	if (items === void 0 || !isId(items[0]) || !isName(items[1])) return void 0;
	return {
		kind: "request",
		id: items[0],
		type: items[1],
		message: items[2]
	};
}
function replyOf(items) {
	if (items === void 0 || !isId(items[0]) || typeof items[1] !== "boolean") return void 0;
	return {
		kind: "reply",
		id: items[0],
		ok: items[1],
		message: items[2]
	};
}
function spawnOf(body) {
	const reader = new ByteReader(body);
	const localId = reader.u16();
	const name = reader.text(limits.nameBytes);
	const schemaHash = reader.u32();
	const tickHz = reader.u8();
	const tick = reader.u32();
	const state = reader.rest();
	return reader.ok && name !== "" && tickHz > 0 ? {
		kind: "spawn",
		localId,
		name,
		schemaHash,
		tickHz,
		tick,
		state
	} : void 0;
}
function assertType(type) {
	if (isName(type)) return;
	throw new ConfigError({
		field: "type",
		value: type,
		expected: `text of 1 to ${limits.nameBytes} bytes of UTF-8`
	});
}
function isName(value) {
	return typeof value === "string" && value !== "" && encodeUtf8(value).length <= limits.nameBytes;
}
function isId(value) {
	return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 4294967295;
}
// ../../packages/protocol/src/sequence.ts
/** Circular 16-bit numbers: packet sequences and reliable message ids (RFC 1982 serial number arithmetic). */
var SEQUENCE_MODULUS = 65536;
var HALF = 32768;
/** The number after `sequence`. */
function nextSequence(sequence) {
	return sequence + 1 & 65535;
}
/** How far `a` is ahead of `b`, from -32768 to 32767; right across the wrap. */
function sequenceDistance(a, b) {
	const distance = a - b & 65535;
	return distance >= HALF ? distance - SEQUENCE_MODULUS : distance;
}
/** Whether `a` was numbered after `b`. */
function isNewer(a, b) {
	return sequenceDistance(a, b) > 0;
}
// ../../packages/protocol/src/state-codec.ts
/** Bytes of one entity in a state message. */
function stateBytes(definition) {
	return 3 + definition.components.length * 4 + (definition.components.length > 127 ? 1 : 0);
}
/** Writes one entity: local id, number of components, the components as Float32. */
function writeState(writer, localId, values) {
	writer.u16(localId).varint(values.length);
	writeComponents(writer, values);
}
function writeComponents(writer, values) {
	for (let index = 0; index < values.length; index++) writer.f32(values[index]);
}
function readStateHead(reader) {
	return {
		localId: reader.u16(),
		componentCount: reader.varint()
	};
}
/**
* Reads the components of one entity into `into`, one by one. False where a value is not finite or out of its
* range, or bytes are missing; `into` then holds nothing usable.
*/
function readComponents(reader, definition, into) {
	let isValid = true;
	for (const [index, component] of definition.components.entries()) {
		const value = reader.f32();
		into[index] = value;
		isValid &&= isInRange(component, value);
	}
	return isValid && reader.ok;
}
/** Float32 rounds a bound such as pi outwards: a value may pass its bound by that much. */
function isInRange({ min, max, kind }, value) {
	if (!(value >= Math.fround(min) && value <= Math.fround(max))) return false;
	return kind === "number" || kind === "angle" || Number.isInteger(value);
}
// ../../packages/transport/src/link.ts
function newLinkCounters() {
	return {
		packetsSent: 0,
		bytesSent: 0,
		packetsReceived: 0,
		bytesReceived: 0,
		statesReplaced: 0,
		packetsDropped: 0
	};
}
// ../../packages/transport/src/send-queue.ts
var sendQueueDefaults = {
	highWaterBytes: 4096,
	commandBytes: 1048576,
	loosePackets: 64,
	eventLifetimeMs: 1500,
	pollMs: 8
};
/**
* The queue in front of a path that may be busy. The path itself (a socket, a data channel) never gets more than
* it can send soon, since what it has taken can be neither replaced nor dropped any more: an "unreliable" data
* channel, too, sends everything that was queued in it, however stale.
*/
var SendQueue = class {
	#options;
	#limits;
	#commands = [];
	#states = /* @__PURE__ */ new Map();
	#loose = [];
	#commandBytes = 0;
	#stopPolling;
	constructor(options) {
		this.#options = options;
		this.#limits = {
			...sendQueueDefaults,
			...options.limits
		};
	}
	get queuedBytes() {
		let bytes = this.#commandBytes;
		for (const packet of this.#states.values()) bytes += packet.length;
		for (const { packet } of this.#loose) bytes += packet.length;
		return bytes;
	}
	send(trafficClass, packet, key) {
		if (this.#isEmpty() && this.#hasRoom()) return this.#write(packet);
		this.#enqueue(trafficClass, packet, key);
		this.#stopPolling ??= this.#options.scheduler.every(this.#limits.pollMs, () => this.drain());
	}
	/** Writes what the path takes now; the owner calls it when the path says that it has room. */
	drain() {
		while (!this.#isEmpty() && this.#hasRoom()) {
			const packet = this.#next();
			if (packet) this.#write(packet);
		}
		if (this.#isEmpty()) this.#endPolling();
	}
	/** Forgets what waits (the path is gone). */
	clear() {
		this.#options.counters.packetsDropped += this.#commands.length + this.#states.size + this.#loose.length;
		this.#commands.length = 0;
		this.#commandBytes = 0;
		this.#states.clear();
		this.#loose.length = 0;
		this.#endPolling();
	}
	#enqueue(trafficClass, packet, key) {
		switch (trafficClass) {
			case "command":
			case "reference":
			case "bulk":
				this.#commands.push(packet);
				this.#commandBytes += packet.length;
				if (this.#commandBytes > this.#limits.commandBytes) this.#options.onOverflow();
				return;
			case "state":
			case "input":
				if (key > 0) return this.#replace(packet, key);
				return this.#enqueueLoose(packet, Number.POSITIVE_INFINITY);
			case "event": return this.#enqueueLoose(packet, this.#options.scheduler.nowMs() + this.#limits.eventLifetimeMs);
		}
	}
	/** Takes the older one's place in the line: whoever waits longest stays first. */
	#replace(packet, key) {
		if (this.#states.has(key)) this.#options.counters.statesReplaced += 1;
		this.#states.set(key, packet);
	}
	#enqueueLoose(packet, expiresAtMs) {
		this.#loose.push({
			packet,
			expiresAtMs
		});
		if (this.#loose.length > this.#limits.loosePackets) {
			this.#loose.shift();
			this.#options.counters.packetsDropped += 1;
		}
	}
	/** Commands first, then events, then states; undefined where the next one was stale. */
	#next() {
		const command = this.#commands.shift();
		if (command) {
			this.#commandBytes -= command.length;
			return command;
		}
		const loose = this.#loose.shift();
		if (loose) {
			if (loose.expiresAtMs >= this.#options.scheduler.nowMs()) return loose.packet;
			this.#options.counters.packetsDropped += 1;
			return;
		}
		const [key, state] = this.#states.entries().next().value ?? [];
		if (key !== void 0) this.#states.delete(key);
		return state;
	}
	#write(packet) {
		try {
			this.#options.write(packet);
		} catch {
			this.#options.counters.packetsDropped += 1;
			return;
		}
		this.#options.counters.packetsSent += 1;
		this.#options.counters.bytesSent += packet.length;
	}
	#hasRoom() {
		return this.#options.bufferedBytes() < this.#limits.highWaterBytes;
	}
	#isEmpty() {
		return this.#commands.length === 0 && this.#states.size === 0 && this.#loose.length === 0;
	}
	#endPolling() {
		this.#stopPolling?.();
		this.#stopPolling = void 0;
	}
};
// ../../packages/transport/src/relayed/relayed-link.ts
/**
* A path to another participant through the relay: packets travel in envelopes over the link to the server, and
* its queue is theirs. It lives as long as that link.
*/
var RelayedLink = class {
	kind = "relayed";
	counters = newLinkCounters();
	#scheduler;
	#uplink;
	#peerNumber;
	#writer = new ByteWriter(1280);
	#state = "connecting";
	#handlers;
	constructor({ scheduler, uplink, peerNumber }) {
		this.#scheduler = scheduler;
		this.#uplink = uplink;
		this.#peerNumber = peerNumber;
	}
	get state() {
		return this.#state;
	}
	get isUnreliable() {
		return this.#uplink.isUnreliable;
	}
	get queuedBytes() {
		return this.#uplink.queuedBytes;
	}
	start(handlers) {
		this.#handlers = handlers;
		this.#scheduler.after(0, () => {
			if (this.#state !== "connecting") return;
			this.#state = "open";
			handlers.onOpen();
		});
	}
	send(trafficClass, packet, key = 0) {
		if (this.#state === "closed" || this.#uplink.state !== "open") {
			this.counters.packetsDropped += 1;
			return;
		}
		const envelope = {
			trafficClass,
			key,
			peers: [this.#peerNumber],
			packet
		};
		writeEnvelope(this.#writer.reset(), envelope);
		this.counters.packetsSent += 1;
		this.counters.bytesSent += packet.length;
		this.#uplink.send(trafficClass, this.#writer.take(), key);
	}
	/** Counts a packet that went to several participants in one envelope. */
	countShared(packetBytes) {
		this.counters.packetsSent += 1;
		this.counters.bytesSent += packetBytes;
	}
	/** A packet of that participant came out of an envelope. */
	deliver(packet) {
		if (this.#state === "closed") return;
		this.counters.packetsReceived += 1;
		this.counters.bytesReceived += packet.length;
		this.#handlers?.onPacket(packet);
	}
	close(code, reason) {
		if (this.#state === "closed") return;
		this.#state = "closed";
		this.#scheduler.after(0, () => {
			const handlers = this.#handlers;
			this.#handlers = void 0;
			handlers?.onClose({
				code,
				reason
			});
		});
	}
};
// ../../packages/transport/src/scheduler.ts
/** The machine's own clock and timers (browser and Node). */
var systemScheduler = {
	nowMs: () => performance.now(),
	after(delayMs, fn) {
		const timer = setTimeout(fn, delayMs);
		return () => clearTimeout(timer);
	},
	every(periodMs, fn) {
		const timer = setInterval(fn, periodMs);
		return () => clearInterval(timer);
	}
};
// ../../packages/transport/src/session/drop-counters.ts
/** How often something was dropped, by reason. */
var DropCounters = class {
	#counts = new Map(dropReasons.map((reason) => [reason, 0]));
	#total = 0;
	get total() {
		return this.#total;
	}
	count(reason) {
		this.#total += 1;
		this.#counts.set(reason, this.of(reason) + 1);
	}
	of(reason) {
		return this.#counts.get(reason) ?? 0;
	}
	/** Reasons that occurred, with their counts. */
	toRecord() {
		return Object.fromEntries([...this.#counts].filter(([, count]) => count > 0));
	}
};
// ../../packages/transport/src/session/link-monitor.ts
/** Until a link is proven it is probed at this period: the channel may lose probes. */
var PROBE_PERIOD_MS = 100;
var PINGS_REMEMBERED = 32;
var PINGS_BEFORE_FAILURE = 3;
/** Watches one link of a session: proof, round-trip time, silence. The session sends what it asks for. */
var LinkMonitor = class {
	link;
	options;
	#attachedAtMs;
	#pings = /* @__PURE__ */ new Map();
	#openedAtMs;
	#isProven = false;
	#lastPingAtMs = Number.NEGATIVE_INFINITY;
	#unansweredSinceMs;
	#unanswered = 0;
	#rttMs;
	#jitterMs = 0;
	constructor(link, options, nowMs) {
		this.link = link;
		this.options = options;
		this.#attachedAtMs = nowMs;
	}
	/** Whether the session may use the link. */
	get isUsable() {
		return this.link.state === "open" && (this.#isProven || !this.options.needsProof);
	}
	/** Smoothed round-trip time (RFC 6298: gain 1/8); undefined before the first answer. */
	get rttMs() {
		return this.#rttMs;
	}
	/** Smoothed difference between neighbouring round trips (RFC 3550: gain 1/16). */
	get jitterMs() {
		return this.#jitterMs;
	}
	opened(nowMs) {
		this.#openedAtMs = nowMs;
	}
	/** Anything received shows that the remote is there. */
	heard() {
		if (this.isUsable) this.#forgetSilence();
	}
	/** Whether a ping should be sent now. `isActive`: the link carries the session's traffic. */
	isPingDue(nowMs, isActive) {
		if (this.#openedAtMs === void 0) return false;
		const periodMs = this.options.needsProof && !this.#isProven ? PROBE_PERIOD_MS : this.options.heartbeatMs * (isActive ? 1 : 4);
		return nowMs - this.#lastPingAtMs >= periodMs;
	}
	pinged(nonce, nowMs) {
		this.#lastPingAtMs = nowMs;
		this.#unansweredSinceMs ??= nowMs;
		this.#unanswered += 1;
		this.#pings.set(nonce, nowMs);
		if (this.#pings.size > PINGS_REMEMBERED) {
			const [oldest] = this.#pings.keys();
			this.#pings.delete(oldest);
		}
	}
	/** True when this answer proved the link. */
	answered(nonce, nowMs) {
		const sentAtMs = this.#pings.get(nonce);
		if (sentAtMs === void 0) return false;
		this.#pings.delete(nonce);
		this.#forgetSilence();
		this.#sampleRtt(nowMs - sentAtMs);
		const isNews = !this.#isProven;
		this.#isProven = true;
		return isNews && this.options.needsProof;
	}
	/** Why the link must be given up; undefined while it is well. */
	failure(nowMs) {
		if (!this.isUsable) return nowMs - this.#attachedAtMs > this.options.connectTimeoutMs ? `no proof within ${this.options.connectTimeoutMs} ms` : void 0;
		if (this.#unansweredSinceMs === void 0 || this.#unanswered < PINGS_BEFORE_FAILURE) return void 0;
		const silentMs = nowMs - this.#unansweredSinceMs;
		return silentMs > this.options.timeoutMs ? `silent for ${Math.round(silentMs)} ms` : void 0;
	}
	#forgetSilence() {
		this.#unansweredSinceMs = void 0;
		this.#unanswered = 0;
	}
	#sampleRtt(sampleMs) {
		if (this.#rttMs === void 0) {
			this.#rttMs = sampleMs;
			return;
		}
		this.#jitterMs += (Math.abs(sampleMs - this.#rttMs) - this.#jitterMs) / 16;
		this.#rttMs += (sampleMs - this.#rttMs) / 8;
	}
};
// ../../packages/transport/src/session/loss-meter.ts
/** Share of a sender's numbered packets that did not arrive, over the last windows (as RFC 3550, section 6.4.1). */
var LossMeter = class {
	#highest;
	#expected = 0;
	#received = 0;
	#ratio = 0;
	/** 0 to 1; smoothed over about four windows. */
	get ratio() {
		return this.#ratio;
	}
	/** Call once for every packet that is not a duplicate. */
	receive(sequence) {
		this.#received += 1;
		if (this.#highest === void 0) {
			this.#highest = sequence;
			this.#expected += 1;
			return;
		}
		const ahead = sequence - this.#highest & SEQUENCE_MODULUS - 1;
		if (ahead >= 32768) return;
		this.#expected += ahead;
		this.#highest = sequence;
	}
	/** Ends a window of measurement; with fewer than ten packets the window goes on. */
	endWindow() {
		if (this.#expected < 10) return;
		const lost = Math.max(0, this.#expected - this.#received) / this.#expected;
		this.#ratio += (lost - this.#ratio) / 4;
		this.#expected = 0;
		this.#received = 0;
	}
};
// ../../packages/transport/src/session/received-sequences.ts
/** Which of the newest 33 sequences have arrived: tells repeated packets from new ones and makes the acks. */
var ReceivedSequences = class {
	#newest;
	#bits = 0;
	/** What to tell the sender; undefined before the first packet. */
	get acks() {
		return this.#newest === void 0 ? void 0 : {
			ack: this.#newest,
			ackBits: this.#bits >>> 0
		};
	}
	/** `outdated`: too old to know whether it came before. */
	receive(sequence) {
		if (this.#newest === void 0) {
			this.#newest = sequence;
			return "new";
		}
		const ahead = sequenceDistance(sequence, this.#newest);
		if (ahead === 0) return "duplicate";
		if (ahead > 0) {
			this.#bits = ahead > 32 ? 0 : (ahead === 32 ? 0 : this.#bits << ahead) | 1 << ahead - 1;
			this.#newest = sequence;
			return "new";
		}
		if (ahead < -32) return "outdated";
		const bit = 1 << -ahead - 1;
		if ((this.#bits & bit) !== 0) return "duplicate";
		this.#bits |= bit;
		return "new";
	}
};
// ../../packages/transport/src/session/reliable-inbox.ts
/** Puts reliable messages into their order and drops those that came before. */
var ReliableInbox = class {
	#early = /* @__PURE__ */ new Map();
	#expected = 0;
	/** Id of the message that is expected next: what a receipt says. */
	get expected() {
		return this.#expected;
	}
	/** Takes a message; hands over, in order, all that can be delivered now. A reason where it was dropped. */
	receive(id, payload, deliver) {
		const ahead = sequenceDistance(id, this.#expected);
		if (ahead < 0 || this.#early.has(id)) return "duplicate";
		if (ahead >= limits.outOfOrderMessages) return "gap-too-large";
		this.#early.set(id, payload);
		for (let next = this.#early.get(this.#expected); next; next = this.#early.get(this.#expected)) {
			this.#early.delete(this.#expected);
			this.#expected = nextSequence(this.#expected);
			deliver(next);
		}
	}
};
// ../../packages/transport/src/session/reliable-outbox.ts
/** Numbers reliable messages and keeps them until the other side has said that it has them. */
var ReliableOutbox = class {
	#pending = [];
	#nextId = 0;
	get length() {
		return this.#pending.length;
	}
	/** All that is unacknowledged, oldest first. */
	get pending() {
		return this.#pending;
	}
	/** Throws {@link NetError} `limit/queue` where too many wait; the message was then not taken. */
	add(payload, nowMs) {
		if (this.#pending.length >= limits.unacknowledgedMessages) throw new NetError("limit/queue", `${limits.unacknowledgedMessages} reliable messages wait for an acknowledgement`, { retryable: true });
		const message = {
			id: this.#nextId,
			payload,
			sentAtMs: nowMs
		};
		this.#nextId = nextSequence(this.#nextId);
		this.#pending.push(message);
		return message;
	}
	/** The other side has everything before `receipt`. False for a receipt of what was never sent. */
	acknowledge(receipt) {
		const count = sequenceDistance(receipt, this.#pending[0]?.id ?? this.#nextId);
		if (count <= 0) return true;
		if (count > this.#pending.length) return false;
		this.#pending.splice(0, count);
		return true;
	}
};
// ../../packages/transport/src/session/session.ts
/** Linger before a receipt goes out alone, in case that a packet leaves anyway. */
var RECEIPT_DELAY_MS = 40;
var UPDATE_PERIOD_MS = 50;
/** Unacknowledged messages are repeated on a living link only as a safety net: it delivers them itself. */
var REPEAT_AFTER_MS = 1500;
var VIOLATION_LIMIT = 50;
/** Room for header and message head around one reliable payload. */
var PACKET_OVERHEAD_BYTES$1 = 32;
/** The longest payload of a reliable message. */
var MAX_PAYLOAD_BYTES = limits.reliablePacketBytes - PACKET_OVERHEAD_BYTES$1;
/** The longest body of an event: it must fit one unreliable packet. */
var MAX_EVENT_BYTES = limits.unreliablePacketBytes - PACKET_OVERHEAD_BYTES$1;
/**
* A logical connection to one other participant or to the server, over links that come and go. Reliable messages
* are numbered here and kept until acknowledged: when a link dies, what was unacknowledged is sent again over the
* next one, and what arrives twice is dropped. Traffic goes over the best link that is proven.
*/
var Session = class {
	drops = new DropCounters();
	#scheduler;
	#handlers;
	#currentTick;
	#violationLimit;
	#monitors = [];
	#outbox = new ReliableOutbox();
	#inbox = new ReliableInbox();
	#received = new ReceivedSequences();
	#publications = new ReceivedSequences();
	#loss = new LossMeter();
	#writer = new ByteWriter(1280);
	#stopUpdates;
	#active;
	#sequence = 0;
	#nonce = 0;
	#cancelReceipt;
	#isClosed = false;
	#violations = 0;
	#windowEndsAtMs = 0;
	constructor(options) {
		this.#scheduler = options.scheduler;
		this.#handlers = options.handlers;
		this.#currentTick = options.currentTick ?? (() => 0);
		this.#violationLimit = options.violationLimit ?? VIOLATION_LIMIT;
		this.#stopUpdates = this.#scheduler.every(UPDATE_PERIOD_MS, () => this.#update());
	}
	/** The link that carries the traffic now. */
	get activeLink() {
		return this.#active?.link;
	}
	get isClosed() {
		return this.#isClosed;
	}
	/** Round-trip time over the active link, ms. */
	get rttMs() {
		return this.#active?.rttMs;
	}
	get jitterMs() {
		return this.#active?.jitterMs ?? 0;
	}
	/** Share of the other side's publications that did not arrive, 0 to 1. */
	get lossRatio() {
		return this.#loss.ratio;
	}
	get unacknowledged() {
		return this.#outbox.length;
	}
	/** Adds a link; it is used once it is open and, where that is asked for, a probe has gone both ways. */
	attach(link, options) {
		if (this.#isClosed) {
			link.close(CloseCode.left, "the session has ended");
			return;
		}
		const monitor = new LinkMonitor(link, options, this.#scheduler.nowMs());
		this.#monitors.push(monitor);
		link.start({
			onOpen: () => this.#opened(monitor),
			onPacket: (packet) => this.#receive(packet, monitor),
			onClose: (close) => this.#down(monitor, close)
		});
	}
	/**
	* Sends a message that arrives exactly once and in order. Throws {@link ConfigError} where it is too long and
	* {@link NetError} where the session has ended or too many wait.
	*/
	sendReliable(payload) {
		assertBytes("message", payload.length, MAX_PAYLOAD_BYTES);
		if (this.#isClosed) throw new NetError("session/ended", "the session has ended");
		const message = this.#outbox.add(payload, this.#scheduler.nowMs());
		if (this.#active) this.#sendPending(this.#active.link, [message]);
	}
	/** Sends a message that may be lost; it is not sent at all while no link is usable. */
	sendEvent(body) {
		assertBytes("event", body.length, MAX_EVENT_BYTES);
		const link = this.#active?.link;
		if (link) this.#sendMessage(link, "event", MessageKind.event, body);
	}
	/** The owner found something malformed in what this session delivered or routed. */
	reportViolation(reason) {
		this.#violated(reason);
	}
	/** Ends the session: tells the other side, closes every link. */
	close(code, reason) {
		if (this.#isClosed) return;
		const link = this.#active?.link;
		const told = new ByteWriter(64).u16(code).bytes(encodeUtf8(reason.slice(0, 100)));
		if (link) this.#sendMessage(link, "command", MessageKind.close, told.view());
		this.#end({
			code,
			reason
		});
	}
	#opened(monitor) {
		monitor.opened(this.#scheduler.nowMs());
		this.#choose("link opened");
		this.#pingIfDue(monitor, this.#scheduler.nowMs());
	}
	#down(monitor, close) {
		const index = this.#monitors.indexOf(monitor);
		if (index < 0) return;
		this.#monitors.splice(index, 1);
		this.#handlers.onLinkDown?.(monitor.link, close);
		if (!this.#isClosed) this.#choose(`${monitor.link.kind} link down: ${close.reason || `code ${close.code}`}`);
	}
	/** Gives traffic to the best usable link; what was unacknowledged goes over it again. */
	#choose(reason) {
		let best;
		for (const monitor of this.#monitors) if (monitor.isUsable && (!best || monitor.options.preference > best.options.preference)) best = monitor;
		if (best === this.#active) return;
		this.#active = best;
		this.#handlers.onActiveLink?.(best?.link, reason);
		if (best && this.#active === best) this.#sendPending(best.link, this.#outbox.pending);
	}
	#update() {
		const nowMs = this.#scheduler.nowMs();
		for (const monitor of [...this.#monitors]) {
			const failure = monitor.failure(nowMs);
			if (failure !== void 0) {
				monitor.link.close(CloseCode.timeout, failure);
				this.#down(monitor, {
					code: CloseCode.timeout,
					reason: failure
				});
			} else this.#pingIfDue(monitor, nowMs);
		}
		this.#repeatOverdue(nowMs);
		if (nowMs < this.#windowEndsAtMs) return;
		this.#windowEndsAtMs = nowMs + 1e3;
		this.#loss.endWindow();
		this.#violations = Math.max(0, this.#violations - 1);
	}
	#repeatOverdue(nowMs) {
		const oldest = this.#outbox.pending[0];
		if (!oldest || !this.#active) return;
		const patienceMs = Math.max(REPEAT_AFTER_MS, 4 * (this.#active.rttMs ?? 0));
		if (nowMs - oldest.sentAtMs > patienceMs) this.#sendPending(this.#active.link, [oldest]);
	}
	#pingIfDue(monitor, nowMs) {
		if (!monitor.isPingDue(nowMs, monitor === this.#active)) return;
		this.#nonce = nextSequence(this.#nonce);
		monitor.pinged(this.#nonce, nowMs);
		this.#sendMessage(monitor.link, "event", MessageKind.ping, new ByteWriter(2).u16(this.#nonce).view());
	}
	/** Sends pending messages in as few packets as fit. */
	#sendPending(link, pending) {
		const nowMs = this.#scheduler.nowMs();
		let batch = [];
		let batchBytes = PACKET_OVERHEAD_BYTES$1;
		for (const message of pending) {
			const bytes = messageBytes(message.payload.length + 2);
			if (batch.length > 0 && batchBytes + bytes > limits.unreliablePacketBytes) {
				this.#sendBatch(link, batch);
				batch = [];
				batchBytes = PACKET_OVERHEAD_BYTES$1;
			}
			message.sentAtMs = nowMs;
			batch.push(message);
			batchBytes += bytes;
		}
		if (batch.length > 0) this.#sendBatch(link, batch);
	}
	#sendBatch(link, batch) {
		const writer = this.#startPacket();
		for (const { id, payload } of batch) writeMessage(writer, MessageKind.reliable, new ByteWriter(payload.length + 2).u16(id).bytes(payload).view());
		link.send("command", writer.take());
	}
	#sendMessage(link, trafficClass, kind, body) {
		const writer = this.#startPacket();
		writeMessage(writer, kind, body);
		link.send(trafficClass, writer.take());
	}
	/** Every packet of a session says what has arrived, so that a receipt rarely needs a packet of its own. */
	#startPacket() {
		const sequence = this.#sequence;
		this.#sequence = nextSequence(sequence);
		this.#cancelReceipt?.();
		this.#cancelReceipt = void 0;
		const header = {
			sequence,
			tick: this.#currentTick() >>> 0,
			isPublished: false,
			acks: this.#received.acks,
			receipt: this.#inbox.expected
		};
		writePacketHeader(this.#writer.reset(), header);
		return this.#writer;
	}
	#receive(bytes, monitor) {
		if (this.#isClosed) return;
		if (isRouted(bytes) && this.#handlers.onRouted) {
			monitor.heard();
			return this.#handlers.onRouted(bytes, monitor.link);
		}
		const packet = readPacket(bytes);
		if (typeof packet === "string") return this.#violated(packet);
		const messages = readMessages(packet.messages, () => this.drops.count("unknown-kind"));
		if (typeof messages === "string") return this.#violated(messages);
		monitor.heard();
		if (packet.isPublished) this.#receivePublication(packet, messages);
		else this.#receivePacket(packet, messages, monitor);
	}
	#receivePublication(packet, messages) {
		const novelty = this.#publications.receive(packet.sequence);
		if (novelty !== "new") return this.drops.count(novelty);
		this.#loss.receive(packet.sequence);
		for (const message of messages) if (message.kind === MessageKind.state) this.#handlers.onState?.(message.body, packet.tick);
		else if (message.kind === MessageKind.event) this.#handlers.onEvent?.(message.body);
		else this.#violated("bad-message");
	}
	#receivePacket(packet, messages, monitor) {
		const novelty = this.#received.receive(packet.sequence);
		if (novelty === "duplicate") return this.drops.count("duplicate");
		if (packet.receipt !== void 0 && !this.#outbox.acknowledge(packet.receipt)) this.#violated("bad-message");
		for (const message of messages) {
			if (this.#isClosed) return;
			this.#receiveMessage(message, packet, novelty === "new", monitor);
		}
	}
	#receiveMessage(message, packet, isTimely, monitor) {
		const { body } = message;
		switch (message.kind) {
			case MessageKind.reliable: return this.#receiveReliable(body);
			case MessageKind.event:
				if (!isTimely) return this.drops.count("outdated");
				return this.#handlers.onEvent?.(body);
			case MessageKind.state: return this.#handlers.onState?.(body, packet.tick);
			case MessageKind.ping:
				if (body.length !== 2) return this.#violated("bad-message");
				return this.#sendMessage(monitor.link, "event", MessageKind.pong, body);
			case MessageKind.pong:
				if (body.length !== 2) return this.#violated("bad-message");
				if (monitor.answered(new ByteReader(body).u16(), this.#scheduler.nowMs())) this.#choose("probe answered");
				return;
			case MessageKind.close: return this.#closedByRemote(body);
		}
	}
	#receiveReliable(body) {
		const reader = new ByteReader(body);
		const id = reader.u16();
		if (!reader.ok) return this.#violated("bad-message");
		this.#cancelReceipt ??= this.#scheduler.after(RECEIPT_DELAY_MS, () => this.#sendReceipt());
		const dropped = this.#inbox.receive(id, reader.rest().slice(), (payload) => {
			if (!this.#isClosed) this.#handlers.onReliable(payload);
		});
		if (dropped) this.drops.count(dropped);
	}
	#sendReceipt() {
		this.#cancelReceipt = void 0;
		const link = this.#active?.link;
		if (link) link.send("command", this.#startPacket().take());
	}
	#closedByRemote(body) {
		const reader = new ByteReader(body);
		const code = reader.u16();
		const reason = decodeUtf8(reader.rest()) ?? "";
		if (!reader.ok) return this.#violated("bad-message");
		this.#end({
			code,
			reason
		}, true);
	}
	/** Counts malformed input; whoever keeps sending it is cut off. Forgiven at one a second. */
	#violated(reason) {
		this.drops.count(reason);
		this.#violations += 1;
		if (this.#violations < this.#violationLimit || this.#isClosed) return;
		this.#end({
			code: CloseCode.protocolViolation,
			reason: `malformed packets, last: ${reason}`
		}, true);
	}
	#end(close, isReported = false) {
		this.#isClosed = true;
		this.#stopUpdates();
		this.#cancelReceipt?.();
		this.#active = void 0;
		for (const { link } of this.#monitors.splice(0)) link.close(close.code, close.reason);
		if (isReported) this.#handlers.onClosed?.(close);
	}
};
function assertBytes(field, bytes, max) {
	if (bytes > max) throw new ConfigError({
		field,
		value: `${bytes} bytes`,
		expected: `at most ${max} bytes`
	});
}
// ../../packages/transport/src/webrtc/channels.ts
/**
* The data channels of a direct link. Both sides create them with the same fixed ids before any data flows
* (`negotiated`), so none has to be announced and none is missed.
*/
var dataChannels = {
	/** Commands, references, bulk: in order, until the link dies. */
	command: {
		id: 0,
		init: {
			negotiated: true,
			id: 0,
			ordered: true
		}
	},
	/** States and inputs: in any order, never sent twice. */
	state: {
		id: 1,
		init: {
			negotiated: true,
			id: 1,
			ordered: false,
			maxRetransmits: 0
		}
	},
	/** Events: in any order, given up after their lifetime. */
	event: {
		id: 2,
		init: {
			negotiated: true,
			id: 2,
			ordered: false,
			maxPacketLifeTime: 1500
		}
	}
};
// ../../packages/transport/src/webrtc/webrtc-link.ts
/** Bytes in flight per channel: one or two packets, since what SCTP has taken is sent however stale. */
var channelLimits = {
	state: { highWaterBytes: 1200 },
	event: { highWaterBytes: 2400 },
	command: { highWaterBytes: 65536 }
};
/** Whether this environment has WebRTC; asked, not guessed from names. */
function hasWebRtc() {
	return typeof RTCPeerConnection === "function" && typeof RTCDataChannel === "function";
}
/**
* A direct link to another browser. simple-peer does the offer, the answer and the candidates; it is loaded here,
* on first use, so that a game on WebSockets alone never downloads it.
*/
var WebRtcLink = class {
	kind = "webrtc";
	isUnreliable = true;
	counters = newLinkCounters();
	#options;
	#queues = /* @__PURE__ */ new Map();
	#channels = [];
	#earlySignals = [];
	#peer;
	#state = "connecting";
	#handlers;
	constructor(options) {
		this.#options = options;
	}
	get state() {
		return this.#state;
	}
	get queuedBytes() {
		let bytes = 0;
		for (const queue of this.#queues.values()) bytes += queue.queuedBytes;
		for (const channel of this.#channels) bytes += channel.bufferedAmount;
		return bytes;
	}
	start(handlers) {
		this.#handlers = handlers;
		import("./assets/simplepeer.min-DZD8SkSW.js").then((m) => /* @__PURE__ */ __toESM(m.default, 1)).then((module) => this.#connect(module.default), (error) => this.#end(CloseCode.refused, `simple-peer did not load: ${String(error)}`));
	}
	/** Takes what the other side's `onSignal` gave. Untrusted: anything wrong in it ends this link, nothing more. */
	signal(data) {
		if (this.#state === "closed") return;
		if (!this.#peer) {
			this.#earlySignals.push(data);
			return;
		}
		try {
			this.#peer.signal(data);
		} catch (error) {
			this.#end(CloseCode.refused, `signal refused: ${String(error)}`);
		}
	}
	send(trafficClass, packet, key = 0) {
		const queue = this.#state === "open" ? this.#queues.get(channelOf(trafficClass)) : void 0;
		if (queue) queue.send(trafficClass, packet, key);
		else this.counters.packetsDropped += 1;
	}
	close(code, reason) {
		if (this.#state === "closed") return;
		this.#shut();
		this.#options.scheduler.after(0, () => this.#report(code, reason));
	}
	#connect(SimplePeer) {
		if (this.#state === "closed") return;
		const { command, state, event } = dataChannels;
		try {
			const peer = new SimplePeer({
				initiator: this.#options.isInitiator,
				channelConfig: command.init,
				config: { iceServers: [...this.#options.iceServers] }
			});
			this.#peer = peer;
			peer.on("signal", (data) => this.#options.onSignal(data));
			peer.on("error", (error) => this.#end(CloseCode.timeout, error.message));
			peer.on("close", () => this.#end(CloseCode.left, "closed by the other side"));
			const { _pc: connection, _channel: commandChannel } = peer;
			this.#adopt("command", commandChannel);
			this.#adopt("state", connection.createDataChannel("state", state.init));
			this.#adopt("event", connection.createDataChannel("event", event.init));
			peer.on("connect", () => this.#openIfReady());
			peer.on("data", (chunk) => this.#receive(chunk));
		} catch (error) {
			this.#end(CloseCode.refused, `WebRTC refused: ${String(error)}`);
			return;
		}
		for (const data of this.#earlySignals.splice(0)) this.signal(data);
	}
	#adopt(name, channel) {
		const limits = channelLimits[name];
		channel.bufferedAmountLowThreshold = (limits.highWaterBytes ?? 0) / 2;
		const queue = new SendQueue({
			scheduler: this.#options.scheduler,
			counters: this.counters,
			write: (packet) => channel.send(packet),
			bufferedBytes: () => channel.bufferedAmount,
			onOverflow: () => this.close(CloseCode.tooSlow, "does not take what is sent to it"),
			limits
		});
		channel.addEventListener("bufferedamountlow", () => queue.drain());
		this.#queues.set(name, queue);
		this.#channels.push(channel);
		if (name === "command") return;
		channel.binaryType = "arraybuffer";
		channel.addEventListener("open", () => this.#openIfReady());
		channel.addEventListener("message", ({ data }) => {
			if (data instanceof ArrayBuffer) this.#receive(new Uint8Array(data));
		});
		channel.addEventListener("close", () => this.#end(CloseCode.left, `channel ${name} closed`));
	}
	#openIfReady() {
		if (this.#state !== "connecting" || !this.#peer?.connected) return;
		if (this.#channels.some((channel) => channel.readyState !== "open")) return;
		this.#state = "open";
		this.#handlers?.onOpen();
	}
	#receive(packet) {
		if (this.#state !== "open") return;
		this.counters.packetsReceived += 1;
		this.counters.bytesReceived += packet.length;
		this.#handlers?.onPacket(packet);
	}
	#end(code, reason) {
		if (this.#state === "closed") return;
		this.#shut();
		this.#report(code, reason);
	}
	#shut() {
		this.#state = "closed";
		for (const queue of this.#queues.values()) queue.clear();
		this.#peer?.destroy();
	}
	#report(code, reason) {
		const handlers = this.#handlers;
		this.#handlers = void 0;
		handlers?.onClose({
			code,
			reason
		});
	}
};
function channelOf(trafficClass) {
	switch (trafficClass) {
		case "state":
		case "input": return "state";
		case "event": return "event";
		case "command":
		case "reference":
		case "bulk": return "command";
	}
}
// ../../packages/transport/src/websocket/websocket-link.ts
var OPEN = 1;
/** A reason may take 123 bytes (RFC 6455, section 5.5.1). */
var REASON_CHARACTERS = 100;
/** A link over a WebSocket, the client's side or the server's: every packet is one binary message. */
var WebSocketLink = class {
	kind = "websocket";
	isUnreliable = false;
	counters = newLinkCounters();
	#scheduler;
	#socket;
	#queue;
	#state = "connecting";
	#handlers;
	constructor(socket, options) {
		this.#scheduler = options.scheduler;
		this.#socket = socket;
		socket.binaryType = "arraybuffer";
		this.#queue = new SendQueue({
			scheduler: options.scheduler,
			counters: this.counters,
			write: (packet) => socket.send(packet),
			bufferedBytes: () => socket.bufferedAmount,
			onOverflow: () => this.close(CloseCode.tooSlow, "does not take what is sent to it"),
			...options.queue && { limits: options.queue }
		});
	}
	get state() {
		return this.#state;
	}
	get queuedBytes() {
		return this.#queue.queuedBytes + (this.#state === "open" ? this.#socket.bufferedAmount : 0);
	}
	start(handlers) {
		this.#handlers = handlers;
		const socket = this.#socket;
		socket.onopen = () => this.#open();
		socket.onmessage = (event) => this.#receive(event.data);
		socket.onclose = (event) => this.#closed(event.code, event.reason);
		socket.onerror = () => void 0;
		if (socket.readyState === OPEN) this.#scheduler.after(0, () => this.#open());
		if (socket.readyState > OPEN) this.#scheduler.after(0, () => this.#closed(1006, "closed before it was used"));
	}
	send(trafficClass, packet, key = 0) {
		if (this.#state !== "open") {
			this.counters.packetsDropped += 1;
			return;
		}
		this.#queue.send(trafficClass, packet, key);
	}
	close(code, reason) {
		if (this.#state === "closed") return;
		this.#queue.clear();
		this.#state = "closed";
		try {
			this.#socket.close(code, reason.slice(0, REASON_CHARACTERS));
		} catch {
			this.#socket.close();
		}
		this.#scheduler.after(0, () => this.#report(code, reason));
	}
	#open() {
		if (this.#state !== "connecting") return;
		this.#state = "open";
		this.#handlers?.onOpen();
	}
	#receive(data) {
		this.#open();
		if (this.#state !== "open" || !(data instanceof ArrayBuffer)) return;
		this.counters.packetsReceived += 1;
		this.counters.bytesReceived += data.byteLength;
		this.#handlers?.onPacket(new Uint8Array(data));
	}
	#closed(code, reason) {
		if (this.#state === "closed") return;
		this.#state = "closed";
		this.#queue.clear();
		this.#report(code, reason);
	}
	#report(code, reason) {
		const handlers = this.#handlers;
		this.#handlers = void 0;
		handlers?.onClose({
			code,
			reason
		});
	}
};
// ../../packages/transport/src/profiles/bands.ts
/** Bands of what is measured, each sorted by where it begins. Without a measurement a quantity is "unknown". */
var measuredBands = {
	lossRatio: [
		{
			name: "low",
			from: 0,
			source: ""
		},
		{
			name: "raised",
			from: .01,
			source: "Artillery 2012 calls 1 % loss “verging on unusable” for a WebSocket; at 1 % an unreliable channel is on time 3 to 4 points more often than a WebSocket (measured for this project, 10 messages/s, RTT 50 ms)"
		},
		{
			name: "high",
			from: .05,
			source: "at 5 % the same measurement says 10 to 13 points; Discart 2014 tests with 5 %"
		}
	],
	rttMs: [{
		name: "short",
		from: 0,
		source: ""
	}, {
		name: "long",
		from: 200,
		source: "Armitage 2003: players of Quake III prefer less than 150 to 180 ms, more than 200 ms is too much"
	}],
	jitterMs: [{
		name: "calm",
		from: 0,
		source: ""
	}, {
		name: "rough",
		from: 10,
		source: "G-model (Wattimena 2006): at a ping of 40 ms, 10 ms of jitter lower the opinion from 3.9 to 3.0 of 5"
	}]
};
/** Puts every number into its band. */
function inputsOf(circumstances, profile) {
	const { available, server, device, measured } = circumstances;
	return {
		genre: circumstances.genre,
		topology: circumstances.topology,
		movement: circumstances.freeMovement ? "free" : "bound",
		favour: circumstances.favour,
		page: circumstances.security,
		webrtc: yesNo(available.webrtc),
		websocket: yesNo(available.websocket),
		webtransport: yesNo(available.webtransport && server?.webtransport === true),
		serverWebrtc: yesNo(server?.webrtc === true),
		battery: device.battery,
		network: device.network,
		peers: circumstances.peers > profile.maxDirectPeers ? "many" : "few",
		loss: measured === void 0 ? "unknown" : bandOf(measuredBands.lossRatio, measured.lossRatio),
		rtt: measured === void 0 ? "unknown" : bandOf(measuredBands.rttMs, measured.rttMs),
		jitter: measured === void 0 ? "unknown" : bandOf(measuredBands.jitterMs, measured.jitterMs),
		style: profile.style
	};
}
function yesNo(isSo) {
	return isSo ? "yes" : "no";
}
function bandOf(bands, value) {
	return bands.reduce((found, band) => value >= band.from ? band : found, bands[0]).name;
}
// ../../packages/transport/src/profiles/profile.ts
/** Genres that have a profile. */
var genres = [
	"racing",
	"shooter",
	"action",
	"rpg",
	"mmo",
	"strategy",
	"puzzle",
	"party"
];
/** Ways in which the participants of a room are connected. */
var topologies = [
	"server",
	"relay",
	"mesh",
	"host"
];
/** Aims between which a game has to choose. */
var favours = [
	"latency",
	"bandwidth",
	"cpu"
];
/** Ways to show the entities of others. */
var viewStyles = [
	"extrapolation",
	"interpolation",
	"lock step"
];
/** Allowed values of each number of a profile, both ends included, with the unit. */
var profileRanges = Object.freeze({
	stateHz: {
		min: 1,
		max: 120,
		unit: "per second"
	},
	tickHz: {
		min: 1,
		max: 240,
		unit: "per second"
	},
	sendPeriodMs: {
		min: 0,
		max: 100,
		unit: "ms"
	},
	heartbeatMs: {
		min: 100,
		max: 6e4,
		unit: "ms"
	},
	thresholdM: {
		min: 0,
		max: 1e3,
		unit: "m"
	},
	headingRad: {
		min: 0,
		max: Math.PI,
		unit: "rad"
	},
	eventLifetimeMs: {
		min: 50,
		max: 6e4,
		unit: "ms"
	},
	interpolationDelayMs: {
		min: 0,
		max: 2e3,
		unit: "ms"
	},
	extrapolationLimitMs: {
		min: 0,
		max: 5e3,
		unit: "ms"
	},
	maxDirectPeers: {
		min: 0,
		max: 64,
		unit: "players"
	}
});
/**
* Checks a profile and gives a frozen copy.
*
* @throws ConfigError naming the first field that is missing or outside its range.
*/
function validateProfile(profile) {
	checkOneOf("genre", profile.genre, genres);
	checkOneOf("topology", profile.topology, topologies);
	checkOneOf("favour", profile.favour, favours);
	checkOneOf("style", profile.style, viewStyles);
	checkBoolean("freeMovement", profile.freeMovement);
	for (const [field, { min, max, unit }] of Object.entries(profileRanges)) {
		const value = profile[field];
		if (typeof value === "number" && value >= min && value <= max) continue;
		throw new ConfigError({
			field,
			value,
			expected: `a number from ${min} to ${max} ${unit}`
		});
	}
	if (profile.stateHz > profile.tickHz) throw new ConfigError({
		field: "stateHz",
		value: profile.stateHz,
		expected: `at most tickHz, ${profile.tickHz} per second: there is no newer state in between`
	});
	return Object.freeze({ ...profile });
}
/** Throws a ConfigError unless `value` is one of `allowed`. */
function checkOneOf(field, value, allowed) {
	if (typeof value === "string" && allowed.includes(value)) return;
	throw new ConfigError({
		field,
		value,
		expected: `one of ${allowed.join(", ")}`
	});
}
/** Throws a ConfigError unless `value` is a boolean. */
function checkBoolean(field, value) {
	if (typeof value !== "boolean") throw new ConfigError({
		field,
		value,
		expected: "true or false"
	});
}
// ../../packages/transport/src/profiles/circumstances.ts
/** The circumstances of a game with this profile in these surroundings. */
function circumstancesOf(profile, surroundings) {
	const { genre, topology, freeMovement, favour } = profile;
	return {
		...surroundings,
		genre,
		topology,
		freeMovement,
		favour
	};
}
/**
* Throws for circumstances that cannot be.
*
* @throws ConfigError naming the field, its value and what is allowed.
*/
function checkCircumstances(circumstances) {
	const { available, server, device, peers, measured } = circumstances;
	checkOneOf("genre", circumstances.genre, genres);
	checkOneOf("topology", circumstances.topology, topologies);
	checkBoolean("freeMovement", circumstances.freeMovement);
	checkOneOf("favour", circumstances.favour, favours);
	checkOneOf("security", circumstances.security, ["https", "http"]);
	for (const link of [
		"webrtc",
		"websocket",
		"webtransport"
	]) checkBoolean(`available.${link}`, available[link]);
	if (server !== void 0) {
		checkBoolean("server.webrtc", server.webrtc);
		checkBoolean("server.webtransport", server.webtransport);
	}
	checkOneOf("device.battery", device.battery, ["ok", "low"]);
	checkOneOf("device.network", device.network, ["fixed", "mobile"]);
	if (!Number.isInteger(peers) || peers < 0) throw new ConfigError({
		field: "peers",
		value: peers,
		expected: "a whole number of other players, 0 or more"
	});
	if (measured !== void 0) checkMeasured(measured);
}
function checkMeasured({ lossRatio, rttMs, jitterMs }) {
	const ratio = "a ratio from 0 to 1";
	const duration = "a finite number of ms, 0 or more";
	checkNumber("measured.lossRatio", lossRatio, 1, ratio);
	checkNumber("measured.rttMs", rttMs, Number.MAX_VALUE, duration);
	checkNumber("measured.jitterMs", jitterMs, Number.MAX_VALUE, duration);
}
function checkNumber(field, value, max, expected) {
	if (typeof value === "number" && value >= 0 && value <= max) return;
	throw new ConfigError({
		field,
		value,
		expected
	});
}
// ../../packages/transport/src/profiles/profiles.ts
/** The profiles by genre. Rates are those of a good fixed network; the decision tree adapts them. */
var profiles = Object.freeze({
	racing: validateProfile({
		genre: "racing",
		topology: "mesh",
		freeMovement: true,
		favour: "latency",
		style: "extrapolation",
		stateHz: 30,
		tickHz: 60,
		sendPeriodMs: 33,
		heartbeatMs: 1e3,
		thresholdM: .1,
		headingRad: .03,
		eventLifetimeMs: 1500,
		interpolationDelayMs: 100,
		extrapolationLimitMs: 500,
		maxDirectPeers: 8
	}),
	shooter: validateProfile({
		genre: "shooter",
		topology: "server",
		freeMovement: true,
		favour: "latency",
		style: "interpolation",
		stateHz: 30,
		tickHz: 60,
		sendPeriodMs: 16,
		heartbeatMs: 1e3,
		thresholdM: .05,
		headingRad: .02,
		eventLifetimeMs: 500,
		interpolationDelayMs: 100,
		extrapolationLimitMs: 250,
		maxDirectPeers: 8
	}),
	action: validateProfile({
		genre: "action",
		topology: "host",
		freeMovement: true,
		favour: "latency",
		style: "interpolation",
		stateHz: 20,
		tickHz: 60,
		sendPeriodMs: 33,
		heartbeatMs: 1e3,
		thresholdM: .1,
		headingRad: .05,
		eventLifetimeMs: 1500,
		interpolationDelayMs: 125,
		extrapolationLimitMs: 250,
		maxDirectPeers: 12
	}),
	rpg: validateProfile({
		genre: "rpg",
		topology: "relay",
		freeMovement: true,
		favour: "bandwidth",
		style: "interpolation",
		stateHz: 10,
		tickHz: 20,
		sendPeriodMs: 45,
		heartbeatMs: 2e3,
		thresholdM: .2,
		headingRad: .1,
		eventLifetimeMs: 1500,
		interpolationDelayMs: 250,
		extrapolationLimitMs: 500,
		maxDirectPeers: 16
	}),
	mmo: validateProfile({
		genre: "mmo",
		topology: "server",
		freeMovement: true,
		favour: "bandwidth",
		style: "interpolation",
		stateHz: 5,
		tickHz: 10,
		sendPeriodMs: 50,
		heartbeatMs: 1e4,
		thresholdM: .4,
		headingRad: .2,
		eventLifetimeMs: 1500,
		interpolationDelayMs: 500,
		extrapolationLimitMs: 1e3,
		maxDirectPeers: 16
	}),
	strategy: validateProfile({
		genre: "strategy",
		topology: "mesh",
		freeMovement: false,
		favour: "bandwidth",
		style: "lock step",
		stateHz: 5,
		tickHz: 20,
		sendPeriodMs: 50,
		heartbeatMs: 2e3,
		thresholdM: .4,
		headingRad: .2,
		eventLifetimeMs: 1500,
		interpolationDelayMs: 500,
		extrapolationLimitMs: 1e3,
		maxDirectPeers: 16
	}),
	puzzle: validateProfile({
		genre: "puzzle",
		topology: "server",
		freeMovement: false,
		favour: "cpu",
		style: "lock step",
		stateHz: 10,
		tickHz: 30,
		sendPeriodMs: 33,
		heartbeatMs: 5e3,
		thresholdM: .1,
		headingRad: .1,
		eventLifetimeMs: 1500,
		interpolationDelayMs: 250,
		extrapolationLimitMs: 500,
		maxDirectPeers: 16
	}),
	party: validateProfile({
		genre: "party",
		topology: "relay",
		freeMovement: true,
		favour: "latency",
		style: "interpolation",
		stateHz: 20,
		tickHz: 60,
		sendPeriodMs: 33,
		heartbeatMs: 1e3,
		thresholdM: .1,
		headingRad: .1,
		eventLifetimeMs: 1500,
		interpolationDelayMs: 125,
		extrapolationLimitMs: 250,
		maxDirectPeers: 12
	})
});
/**
* The profile of that name.
*
* @throws ConfigError with the names there are.
*/
function profileNamed(name) {
	checkOneOf("profile", name, genres);
	return profiles[name];
}
// ../../packages/transport/src/profiles/link-questions.ts
var RELAYED_PAIRS = { pairLinks: {
	unreliable: ["relayed"],
	reliable: ["relayed"]
} };
var DIRECT_PAIRS = { pairLinks: {
	unreliable: ["webrtc", "relayed"],
	reliable: ["webrtc", "relayed"]
} };
var WEBSOCKET_ONLY = { serverLinks: {
	unreliable: ["websocket"],
	reliable: ["websocket"]
} };
var TWO_LINKS = "A state must be fresh, not complete: on an unreliable link a lost one delays nothing behind it. Everything that must arrive stays on the WebSocket, whose TCP notices a loss after one later acknowledgement where WebRTC's SCTP waits for three (on time at 10 messages/s, RTT 50 ms, 5 % loss: unreliable 89 %, WebSocket 80 %, reliable channel 71 %).";
/** First half of the tree: what is sent, to whom, over what. */
var linkQuestions = [
	{
		id: "page",
		ask: "How was the page loaded?",
		rows: [{
			id: "PAGE-1",
			when: { page: ["https"] },
			choice: "wss only",
			sets: { webSocketSchemes: ["wss"] },
			next: "content",
			reason: "A page from https may open encrypted WebSockets only; the browser blocks ws: as mixed content."
		}, {
			id: "PAGE-2",
			when: {},
			choice: "ws or wss",
			sets: { webSocketSchemes: ["ws", "wss"] },
			next: "content",
			reason: "A page from http may open both kinds of WebSocket; the address decides."
		}]
	},
	{
		id: "content",
		ask: "What does the game send?",
		rows: [
			{
				id: "CONTENT-1",
				when: { genre: ["racing", "shooter"] },
				choice: "states with references",
				answer: { content: "states with references" },
				next: "entry",
				reason: "Everything moves fast: frequent states of which only the newest counts, and beside them reference states that must arrive, from which the small differences are computed."
			},
			{
				id: "CONTENT-2",
				when: { movement: ["free"] },
				choice: "states and actions",
				answer: { content: "states and actions" },
				next: "entry",
				reason: "Things move freely, but what decides is what players do: positions may be lost, since the next one replaces them; actions must arrive in order."
			},
			{
				id: "CONTENT-3",
				when: { genre: ["strategy", "puzzle"] },
				choice: "actions only",
				answer: { content: "actions only" },
				sets: { deliveries: {
					state: "ordered-reliable",
					event: "ordered-reliable",
					input: "ordered-reliable"
				} },
				next: "entry",
				reason: "The input of a few players is far smaller than the state of hundreds of pieces, and all compute the same from it: none may be lost, so everything is reliable and in order."
			},
			{
				id: "CONTENT-4",
				when: {},
				choice: "actions only",
				answer: { content: "actions only" },
				sets: { deliveries: {
					state: "ordered-reliable",
					event: "ordered-reliable",
					input: "ordered-reliable"
				} },
				next: "entry",
				reason: "Nothing moves between two moves, so there is no state to keep fresh: one reliable, ordered stream carries everything."
			}
		]
	},
	{
		id: "entry",
		ask: "Is there a way in?",
		rows: [{
			id: "ENTRY-1",
			when: { websocket: ["no"] },
			choice: "none",
			answer: { entry: "none" },
			next: "view",
			reason: "Without a WebSocket nothing can connect: it carries the join, the signalling of WebRTC, and what is relayed to other players."
		}, {
			id: "ENTRY-2",
			when: {},
			choice: "WebSocket",
			answer: { entry: "WebSocket" },
			next: "partners",
			reason: "The WebSocket opens first: it works almost everywhere and needs no negotiation, so the game runs on it while better links are still being tried."
		}]
	},
	{
		id: "partners",
		ask: "With whom does a player exchange anything?",
		rows: [
			{
				id: "PARTNERS-1",
				when: { topology: ["server"] },
				choice: "with the server alone",
				sets: { pairsWith: "nobody" },
				next: "server",
				reason: "The server decides what happens and tells everybody; players have nothing to send to each other."
			},
			{
				id: "PARTNERS-2",
				when: { topology: ["host"] },
				choice: "with the host",
				sets: { pairsWith: "host" },
				next: "paths",
				reason: "One player decides what happens, so only the way to and from that one counts."
			},
			{
				id: "PARTNERS-3",
				when: {},
				choice: "with every other player",
				sets: { pairsWith: "everybody" },
				next: "paths",
				reason: "Everybody decides about what is theirs and tells all others."
			}
		]
	},
	{
		id: "paths",
		ask: "Which way do players reach each other?",
		rows: [
			{
				id: "PATHS-1",
				when: { topology: ["relay"] },
				choice: "through the relay",
				sets: RELAYED_PAIRS,
				next: "server",
				reason: "The game wants the relay between its players: nobody learns another player's address."
			},
			{
				id: "PATHS-2",
				when: { webrtc: ["no"] },
				choice: "through the relay",
				sets: RELAYED_PAIRS,
				next: "server",
				reason: "Between two browsers only WebRTC can connect, and it is missing or switched off here."
			},
			{
				id: "PATHS-3",
				when: {
					topology: ["mesh"],
					peers: ["many"]
				},
				choice: "through the relay",
				sets: RELAYED_PAIRS,
				next: "server",
				reason: "More other players than the profile's maxDirectPeers: directly, every state would leave this uplink once for each of them; the relay takes one copy and passes it on."
			},
			{
				id: "PATHS-4",
				when: { peers: ["many"] },
				choice: "through the relay",
				sets: RELAYED_PAIRS,
				next: "server",
				reason: "More other players than the profile's maxDirectPeers: the host's uplink would carry every state once for each of them; the relay takes one copy and passes it on."
			},
			{
				id: "PATHS-5",
				when: { favour: ["cpu"] },
				choice: "through the relay",
				sets: RELAYED_PAIRS,
				next: "server",
				reason: "Computing time is favoured: every direct connection encrypts and keeps alive on its own, and a data channel costs a browser about 40 % more than a WebSocket (Discart 2014, Chrome)."
			},
			{
				id: "PATHS-6",
				when: {},
				choice: "directly, else through the relay",
				sets: DIRECT_PAIRS,
				next: "pair",
				reason: "The direct way is the shortest. The relay carries each pair until its own direct link has proven itself, and again when that link dies: for 15 to 22 % of players none can be opened at all."
			}
		]
	},
	{
		id: "pair",
		ask: "Which channels does a direct link have?",
		rows: [{
			id: "PAIR-1",
			when: { content: ["actions only"] },
			choice: "reliable, and partially reliable for events",
			sets: { pairDeliveries: { event: "lifetime" } },
			next: "server",
			reason: "Actions must arrive in order. Events, such as a gesture or a pointer, lose their worth while they wait: between players a channel can give them up after their lifetime, which TCP cannot."
		}, {
			id: "PAIR-2",
			when: {},
			choice: "unreliable for states, reliable beside it",
			next: "server",
			reason: "WebRTC has channels of every kind in one connection. The reliable one recovers more slowly than TCP would, but between two browsers it is what there is."
		}]
	},
	{
		id: "server",
		ask: "Which links lead to the server (and to the relay)?",
		rows: [
			{
				id: "SERVER-1",
				when: { content: ["actions only"] },
				choice: "WebSocket",
				sets: WEBSOCKET_ONLY,
				next: "view",
				reason: "Everything must arrive in order, which is what TCP does best; and a WebSocket costs less computing time and fewer bytes per message than WebRTC."
			},
			{
				id: "SERVER-2",
				when: {
					favour: ["cpu"],
					loss: ["unknown", "low"]
				},
				choice: "WebSocket",
				sets: WEBSOCKET_ONLY,
				next: "view",
				reason: "Computing time is favoured and hardly anything is lost: a WebSocket costs the browser the least (60 s at 30 messages/s in Chrome: 2.1 s against 3.0 s for a data channel, Discart 2014)."
			},
			{
				id: "SERVER-3",
				when: {
					favour: ["bandwidth"],
					loss: ["unknown", "low"]
				},
				choice: "WebSocket",
				sets: WEBSOCKET_ONLY,
				next: "view",
				reason: "Bytes are favoured and hardly anything is lost, so an unreliable link would gain nothing: a message of 40 bytes is 112 bytes on the wire over a WebSocket and 132 to 148 over a data channel."
			},
			{
				id: "SERVER-4",
				when: {
					webtransport: ["yes"],
					webrtc: ["yes"],
					serverWebrtc: ["yes"]
				},
				choice: "states on WebTransport, else WebRTC; the rest on WebSocket",
				sets: { serverLinks: {
					unreliable: [
						"webtransport",
						"webrtc",
						"websocket"
					],
					reliable: ["websocket"]
				} },
				next: "view",
				reason: `${TWO_LINKS} WebTransport before WebRTC: it opens without ICE.`
			},
			{
				id: "SERVER-5",
				when: { webtransport: ["yes"] },
				choice: "states on WebTransport, the rest on WebSocket",
				sets: { serverLinks: {
					unreliable: ["webtransport", "websocket"],
					reliable: ["websocket"]
				} },
				next: "view",
				reason: TWO_LINKS
			},
			{
				id: "SERVER-6",
				when: {
					webrtc: ["yes"],
					serverWebrtc: ["yes"]
				},
				choice: "states on WebRTC, the rest on WebSocket",
				sets: { serverLinks: {
					unreliable: ["webrtc", "websocket"],
					reliable: ["websocket"]
				} },
				next: "view",
				reason: TWO_LINKS
			},
			{
				id: "SERVER-7",
				when: {},
				choice: "WebSocket",
				sets: WEBSOCKET_ONLY,
				next: "view",
				reason: "Nothing else leads from here to the server. A state that was not sent yet is replaced by the newer one, so they come less often on a bad network, but never late and later."
			}
		]
	}
];
/** Second half of the tree: how often, how exact, how others are shown. */
var paceQuestions = [
	{
		id: "view",
		ask: "How are others shown between two states?",
		rows: [
			{
				id: "VIEW-1",
				when: { content: ["actions only"] },
				choice: "lock step",
				sets: { style: "lock step" },
				next: "favour",
				reason: "No states come: everybody computes what happens from the same actions."
			},
			{
				id: "VIEW-2",
				when: { style: ["extrapolation"] },
				choice: "extrapolation",
				sets: { style: "extrapolation" },
				next: "favour",
				reason: "Others are drawn where they are now by the model that sender and receiver share: cars have inertia, and side by side at 50 m/s a picture that is 100 ms old is 5 m off."
			},
			{
				id: "VIEW-3",
				when: {},
				choice: "interpolation",
				sets: { style: "interpolation" },
				next: "favour",
				reason: "Others change direction at will, which no model foresees: they are drawn between two states that are known, a little in the past, instead of where they never were."
			}
		]
	},
	{
		id: "favour",
		ask: "What is favoured?",
		rows: [
			{
				id: "FAVOUR-1",
				when: { favour: ["bandwidth"] },
				choice: "longer bundles, wider thresholds",
				sets: { factors: {
					sendPeriodMs: 2,
					thresholdM: 1.5,
					headingRad: 1.5
				} },
				next: "battery",
				reason: "Headers outweigh payloads by far: to send less often saves most, to bundle what is sent comes next. Both cost freshness."
			},
			{
				id: "FAVOUR-2",
				when: { favour: ["cpu"] },
				choice: "longer bundles",
				sets: { factors: { sendPeriodMs: 2 } },
				next: "battery",
				reason: "Every packet is a call into the system and an encryption: half as many cost half as much."
			},
			{
				id: "FAVOUR-3",
				when: {},
				choice: "the profile's own period and thresholds",
				next: "battery",
				reason: "Latency is favoured: packets leave as soon as the profile's period allows."
			}
		]
	},
	{
		id: "battery",
		ask: "Does the battery last?",
		rows: [{
			id: "BATTERY-1",
			when: { battery: ["low"] },
			choice: "half the rate, longer bundles",
			sets: { factors: {
				stateHz: .5,
				sendPeriodMs: 2
			} },
			next: "network",
			reason: "The battery is low: a radio that may sleep between packets uses far less."
		}, {
			id: "BATTERY-2",
			when: {},
			choice: "full rate",
			next: "network",
			reason: "Mains, or enough charge."
		}]
	},
	{
		id: "network",
		ask: "What does the device hang on?",
		rows: [{
			id: "NETWORK-1",
			when: { network: ["mobile"] },
			choice: "wider thresholds",
			sets: { factors: {
				thresholdM: 1.5,
				headingRad: 1.5
			} },
			next: "measured",
			reason: "On a mobile network bytes cost money and losses are frequent: fewer corrections, a little coarser."
		}, {
			id: "NETWORK-2",
			when: {},
			choice: "the profile's thresholds",
			next: "measured",
			reason: "A fixed network: bytes are cheap enough."
		}]
	},
	{
		id: "measured",
		ask: "Has the network been measured yet?",
		rows: [{
			id: "MEASURED-1",
			when: { loss: ["unknown"] },
			choice: "not yet",
			next: "end",
			reason: "Nothing to go by yet: the plan is made again once there is."
		}, {
			id: "MEASURED-2",
			when: {},
			choice: "yes",
			next: "loss",
			reason: "The running connection has shown what it loses and how long it takes."
		}]
	},
	{
		id: "loss",
		ask: "How much is lost?",
		rows: [
			{
				id: "LOSS-1",
				when: { loss: ["high"] },
				choice: "half the rate, wider thresholds, heartbeat twice as often",
				sets: { factors: {
					stateHz: .5,
					thresholdM: 1.5,
					headingRad: 1.5,
					heartbeatMs: .5
				} },
				next: "rtt",
				reason: "Loss as high as this may well come from a full queue, which more packets would only lengthen; and what is lost is wrong until the next state, so a standing entity is repeated sooner."
			},
			{
				id: "LOSS-2",
				when: { loss: ["raised"] },
				choice: "heartbeat twice as often",
				sets: { factors: { heartbeatMs: .5 } },
				next: "rtt",
				reason: "What is lost is wrong until the next state: a standing entity is repeated sooner."
			},
			{
				id: "LOSS-3",
				when: {},
				choice: "the profile's heartbeat",
				next: "rtt",
				reason: "Hardly anything is lost."
			}
		]
	},
	{
		id: "rtt",
		ask: "How far away are the others?",
		rows: [{
			id: "RTT-1",
			when: { rtt: ["long"] },
			choice: "others may move on twice as long",
			sets: { factors: { extrapolationLimitMs: 2 } },
			next: "jitter",
			reason: "States are old when they arrive: with the profile's limit others would stand still now and then."
		}, {
			id: "RTT-2",
			when: {},
			choice: "the profile's limit",
			next: "jitter",
			reason: "States are young enough when they arrive."
		}]
	},
	{
		id: "jitter",
		ask: "How evenly do packets come?",
		rows: [{
			id: "JITTER-1",
			when: { jitter: ["rough"] },
			choice: "twice the interpolation delay",
			sets: { factors: { interpolationDelayMs: 2 } },
			next: "end",
			reason: "Late states would be missing when it is their turn: a longer delay waits for them."
		}, {
			id: "JITTER-2",
			when: {},
			choice: "the profile's interpolation delay",
			next: "end",
			reason: "Packets come evenly."
		}]
	}
];
// ../../packages/transport/src/profiles/tree.ts
/** The decision tree: begins with its first question and goes where the answers lead. */
var decisionTree = Object.freeze([...linkQuestions, ...paceQuestions]);
// ../../packages/transport/src/profiles/decide.ts
var NO_LINKS = {
	unreliable: [],
	reliable: []
};
/** What each class is promised where no row says otherwise. */
var DELIVERIES = {
	state: "newest-wins",
	reference: "unordered-reliable",
	event: "lifetime",
	command: "ordered-reliable",
	input: "newest-wins",
	bulk: "ordered-reliable"
};
var questionsById = new Map(decisionTree.map((question) => [question.id, question]));
/**
* Asks the decision tree: which links, which delivery for each class of traffic, which rates, and why. The same
* circumstances give the same plan; every combination gives one.
*
* @param profile the rates to begin with; by default those of the genre
* @throws ConfigError for circumstances or a profile outside their ranges
*/
function decide(circumstances, profile) {
	checkCircumstances(circumstances);
	const start = profile === void 0 ? profiles[circumstances.genre] : validateProfile(profile);
	const inputs = inputsOf(circumstances, start);
	const { facts, answered } = walk(inputs);
	const sum = answered.flatMap(({ row }) => row.sets === void 0 ? [] : [row.sets]).reduce(merged, {});
	const serverLinks = sum.serverLinks ?? NO_LINKS;
	const pairLinks = sum.pairLinks ?? NO_LINKS;
	return {
		circumstances,
		inputs,
		canConnect: facts.entry === "WebSocket",
		content: facts.content ?? "actions only",
		webSocketSchemes: sum.webSocketSchemes ?? [],
		serverLinks: serverLinks.unreliable,
		pairsWith: sum.pairsWith ?? "nobody",
		pairLinks: pairLinks.unreliable,
		traffic: trafficOf({
			...DELIVERIES,
			...sum.deliveries
		}, sum.pairDeliveries, {
			serverLinks,
			pairLinks
		}),
		numbers: adapted(start, sum.factors),
		style: sum.style ?? start.style,
		reasons: answered.map(reasonOf)
	};
}
function walk(inputs) {
	let facts = inputs;
	const answered = [];
	let question = decisionTree[0];
	while (question !== void 0) {
		const row = answerTo(question, facts);
		answered.push({
			question,
			row
		});
		if (row.answer !== void 0) facts = {
			...facts,
			...row.answer
		};
		question = row.next === "end" ? void 0 : questionsById.get(row.next);
	}
	return {
		facts,
		answered
	};
}
function answerTo(question, facts) {
	const row = question.rows.find(({ when }) => holds(when, facts));
	if (row === void 0) throw new Error(`the decision tree has no answer to "${question.ask}"`);
	return row;
}
function holds(conditions, facts) {
	for (const field in conditions) {
		const allowed = conditions[field];
		if (allowed !== void 0 && !allowed.includes(facts[field])) return false;
	}
	return true;
}
function merged(sum, effect) {
	if (sum.factors === void 0 || effect.factors === void 0) return {
		...sum,
		...effect
	};
	const factors = { ...sum.factors };
	for (const [name, factor] of Object.entries(effect.factors)) {
		const number = name;
		factors[number] = (factors[number] ?? 1) * factor;
	}
	return {
		...sum,
		...effect,
		factors
	};
}
function trafficOf(deliveries, pairDeliveries, links) {
	const both = (name) => ({
		server: route(deliveries[name], links.serverLinks),
		pair: route(pairDeliveries?.[name] ?? deliveries[name], links.pairLinks)
	});
	return {
		state: both("state"),
		reference: both("reference"),
		event: both("event"),
		command: both("command"),
		input: both("input"),
		bulk: both("bulk")
	};
}
function route(delivery, orders) {
	return {
		delivery,
		links: delivery === "newest-wins" || delivery === "lifetime" ? orders.unreliable : orders.reliable
	};
}
/** The numbers times their factors, kept within what a profile may say. */
function adapted(profile, factors = {}) {
	const scaled = (name) => {
		const factor = factors[name];
		if (factor === void 0) return profile[name];
		const { min, max } = profileRanges[name];
		return Math.min(max, Math.max(min, profile[name] * factor));
	};
	return {
		stateHz: scaled("stateHz"),
		tickHz: scaled("tickHz"),
		sendPeriodMs: scaled("sendPeriodMs"),
		heartbeatMs: scaled("heartbeatMs"),
		thresholdM: scaled("thresholdM"),
		headingRad: scaled("headingRad"),
		eventLifetimeMs: scaled("eventLifetimeMs"),
		interpolationDelayMs: scaled("interpolationDelayMs"),
		extrapolationLimitMs: scaled("extrapolationLimitMs"),
		maxDirectPeers: scaled("maxDirectPeers")
	};
}
function reasonOf({ question, row }) {
	return {
		row: row.id,
		question: question.ask,
		choice: row.choice,
		reason: row.reason
	};
}
// ../../packages/transport/src/profiles/describe-plan.ts
/** The plan for people: every question with its answer and reason, then what follows for each class of traffic. */
function describePlan(plan) {
	const answers = plan.reasons.map(({ row, question, choice, reason }) => ({
		about: question,
		choice,
		reason: `${reason} [${row}]`
	}));
	const classes = Object.keys(TrafficClass).map((name) => ({
		about: `class ${name}`,
		choice: routes(plan, plan.traffic[name]),
		reason: "follows from the answers above"
	}));
	return [
		...answers,
		...classes,
		{
			about: "rates",
			choice: rates(plan),
			reason: rateReason(plan)
		}
	];
}
function routes(plan, { server, pair }) {
	if (!plan.canConnect) return `${server.delivery}, but no link to carry it`;
	const toServer = `to the server ${way(server)}`;
	return plan.pairsWith === "nobody" ? toServer : `to players ${way(pair)}; ${toServer}`;
}
function way({ delivery, links }) {
	return `${delivery} over ${links.join(", else ")}`;
}
function rates({ numbers }) {
	const { stateHz, sendPeriodMs, heartbeatMs, thresholdM, headingRad } = numbers;
	return `up to ${rounded(stateHz)} states/s, bundled for ${rounded(sendPeriodMs)} ms, heartbeat ${rounded(heartbeatMs)} ms, threshold ${rounded(thresholdM)} m and ${rounded(headingRad)} rad`;
}
function rateReason(plan) {
	return `profile ${plan.circumstances.genre}, adapted by the answers above; bundles never wait longer than ${profileRanges.sendPeriodMs.max} ms`;
}
function rounded(value) {
	return String(Math.round(value * 1e3) / 1e3);
}
// ../../packages/client/src/endpoint.ts
/** The server's http(s) address without a slash at its end, from http, https, ws or wss. */
function serverUrlOf(endpoint) {
	const expected = "an http(s) or ws(s) address such as https://play.example.com";
	if (typeof endpoint !== "string") throw new ConfigError({
		field: "endpoint",
		value: endpoint,
		expected
	});
	let url;
	try {
		url = new URL(endpoint);
	} catch {
		throw new ConfigError({
			field: "endpoint",
			value: endpoint,
			expected
		});
	}
	const scheme = {
		"http:": "http:",
		"https:": "https:",
		"ws:": "http:",
		"wss:": "https:"
	}[url.protocol];
	if (!scheme) throw new ConfigError({
		field: "endpoint",
		value: endpoint,
		expected
	});
	return `${scheme}//${url.host}${url.pathname}`.replace(/\/+$/, "");
}
// ../../packages/client/src/environment.ts
/** Transports that a game may allow. */
var transportKinds = ["webrtc", "websocket"];
/** The WebSocket to use: the given one, or the environment's. */
function webSocketOf(given) {
	if (given !== void 0 && typeof given !== "function") throw new ConfigError({
		field: "webSocket",
		value: given,
		expected: "a WebSocket constructor"
	});
	const found = given ?? globalThis.WebSocket;
	if (typeof found !== "function") throw new NetError("transport/unavailable", "this environment has no WebSocket; in Node pass `webSocket: NodeWebSocket` from \"@paceline/client/node\"");
	return found;
}
/** Checks the transports that a game allows; by default all. */
function checkedTransports(given) {
	if (given === void 0) return transportKinds;
	const expected = `a list with at least one of ${transportKinds.join(", ")}`;
	if (!Array.isArray(given) || given.length === 0) throw new ConfigError({
		field: "transports",
		value: given,
		expected
	});
	for (const kind of given) if (!transportKinds.includes(kind)) throw new ConfigError({
		field: "transports",
		value: kind,
		expected
	});
	if (!given.includes("websocket")) throw new ConfigError({
		field: "transports",
		value: given.join(", "),
		expected: "websocket among them: it joins, signals and relays"
	});
	return [...given];
}
/** What the decision tree wants to know of this page and device. */
function surroundings(transports, peers) {
	return {
		security: globalThis.location?.protocol === "https:" ? "https" : "http",
		available: {
			webrtc: transports.includes("webrtc") && hasWebRtc(),
			websocket: transports.includes("websocket"),
			webtransport: false
		},
		device: {
			battery: "ok",
			network: isMobileNetwork() ? "mobile" : "fixed"
		},
		peers
	};
}
/** Network Information API, where it exists (Chromium); without it a network counts as fixed. */
function isMobileNetwork() {
	const { connection } = globalThis.navigator ?? {};
	return connection?.type === "cellular";
}
// ../../packages/client/src/match-request.ts
/** Asks the server for a seat. Rejects with {@link NetError}. */
async function requestSeat({ serverUrl, call, webrtc, timeoutMs }) {
	const url = `${serverUrl}/match/${call.method}/${encodeURIComponent(call.target)}`;
	const body = JSON.stringify({
		version: 1,
		options: call.options,
		webrtc
	});
	let response;
	let answer;
	try {
		response = await fetch(url, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body,
			signal: AbortSignal.timeout(timeoutMs)
		});
		answer = await response.json();
	} catch (cause) {
		throw new NetError("match/unreachable", `no answer from ${serverUrl}`, {
			retryable: true,
			cause
		});
	}
	if (!response.ok) throw refusalOf(answer, response.status);
	return seatOf(answer, serverUrl);
}
function refusalOf(answer, status) {
	const { code, message } = fieldsOf(fieldsOf(answer).error);
	const isKnown = typeof code === "string" && code in errorCodes;
	const retryable = status === 429 || status >= 500 || code === "match/full" || code === "match/not-found";
	return new NetError(isKnown ? code : "match/bad-answer", typeof message === "string" ? message : `the server answered with status ${status}`, { retryable });
}
function seatOf(answer, serverUrl) {
	const { version, ticket, roomName, linkPath } = fieldsOf(answer);
	if (version !== 1) throw new NetError("session/version", `the server speaks version ${String(version)}, not 1`);
	if (!(typeof ticket === "string" && typeof roomName === "string" && typeof linkPath === "string") || !linkPath.startsWith("/")) throw new NetError("match/bad-answer", "the server's answer is not a seat");
	return {
		ticket,
		roomName,
		linkUrl: serverUrl.replace(/^http/, "ws") + linkPath
	};
}
function fieldsOf(value) {
	return typeof value === "object" && value !== null ? value : {};
}
/** Checks a call of the game before anything is sent. */
function checkedCall(method, target, options) {
	const field = method === "joinById" ? "roomId" : "roomName";
	if (typeof target !== "string" || !/^[\w-]{1,64}$/.test(target)) throw new ConfigError({
		field,
		value: target,
		expected: "1 to 64 letters, digits, - or _"
	});
	if (typeof options !== "object" || options === null || Array.isArray(options)) throw new ConfigError({
		field: "options",
		value: options,
		expected: "an object"
	});
	for (const [key, value] of Object.entries(options)) if (!(typeof value === "string" || typeof value === "boolean" || Number.isFinite(value))) throw new ConfigError({
		field: `options.${key}`,
		value,
		expected: "text, a finite number or a boolean"
	});
	return {
		method,
		target,
		options
	};
}
// ../../packages/client/src/listeners.ts
/** The subscribers of one kind of news. One that throws disturbs neither the others nor the SDK. */
var Listeners = class {
	#listeners = /* @__PURE__ */ new Set();
	add(listener) {
		const entry = (...args) => listener(...args);
		this.#listeners.add(entry);
		return () => this.#listeners.delete(entry);
	}
	tell(...args) {
		for (const listener of [...this.#listeners]) guarded(() => listener(...args));
	}
};
/** Runs code of the game; what it throws is reported as uncaught and goes no further. */
function guarded(fn) {
	try {
		fn();
	} catch (error) {
		reportGameError(error);
	}
}
function reportGameError(error) {
	if (typeof reportError === "function") reportError(error);
	else console.error(error);
}
// ../../packages/netcode/src/angle.ts
var TURN = 2 * Math.PI;
/** The same direction within [-pi, pi). */
function wrapAngle$1(angleRad) {
	if (angleRad >= -Math.PI && angleRad < Math.PI) return angleRad;
	const wrapped = angleRad - TURN * Math.floor((angleRad + Math.PI) / TURN);
	return wrapped >= Math.PI ? -Math.PI : wrapped;
}
/** The shortest turn from `b` to `a`, within [-pi, pi). */
function angleDifference(a, b) {
	return wrapAngle$1(a - b);
}
// ../../packages/netcode/src/dead-reckoning.ts
/**
* Continues a state by `seconds` as every receiver does: position with constant velocity, heading with constant
* turn rate; all else holds (DIS dead reckoning, IEEE 1278.1: models 1 `static`, 3 `RPW`). `from` and `into` hold
* one row of components and may be the same array.
*/
function extrapolate(definition, from, seconds, into) {
	if (into !== from) into.set(from);
	const layout = definition.motionLayout;
	if (!layout) return;
	for (let axis = 0; axis < layout.dimensions; axis++) {
		const position = layout.position + axis;
		const { min, max } = definition.components[position];
		const moved = from[position] + from[layout.velocity + axis] * seconds;
		into[position] = Math.min(Math.max(moved, min), max);
	}
	if (layout.heading !== void 0) into[layout.heading] = wrapAngle$1(from[layout.heading] + from[layout.turnRate] * seconds);
}
/** Distance between the two states' `field`, in its unit: along a vector's diagonal, around an angle. */
function fieldError(definition, field, a, b) {
	const offset = definition.offsets[field];
	switch (definition.fields[field].kind) {
		case "vec2": return Math.hypot(a[offset] - b[offset], a[offset + 1] - b[offset + 1]);
		case "vec3": return Math.hypot(a[offset] - b[offset], a[offset + 1] - b[offset + 1], a[offset + 2] - b[offset + 2]);
		case "angle": return Math.abs(angleDifference(a[offset], b[offset]));
		case "scalar":
		case "int":
		case "flag": return Math.abs(a[offset] - b[offset]);
	}
}
// ../../packages/netcode/src/entity-table.ts
var FIRST_CAPACITY = 8;
/**
* All entities of one kind, as rows of Float32 components: `state` is what the owner last wrote or sent, `shown`
* what to draw now. The arrays are replaced when the table grows: read them from the table each time.
*/
var EntityTable = class {
	definition;
	/** Components per row. */
	width;
	#state;
	#shown;
	#free = [];
	#used = 0;
	constructor(definition) {
		this.definition = definition;
		this.width = definition.components.length;
		this.#state = new Float32Array(FIRST_CAPACITY * this.width);
		this.#shown = new Float32Array(FIRST_CAPACITY * this.width);
	}
	get state() {
		return this.#state;
	}
	get shown() {
		return this.#shown;
	}
	/** A row, filled with each component's value nearest to zero. */
	allocate() {
		const row = this.#free.pop() ?? this.#used++;
		if ((row + 1) * this.width > this.#state.length) this.#grow();
		for (const [index, { min, max }] of this.definition.components.entries()) {
			const value = Math.min(Math.max(0, min), max);
			this.#state[row * this.width + index] = value;
			this.#shown[row * this.width + index] = value;
		}
		return row;
	}
	release(row) {
		this.#free.push(row);
	}
	/** A row's state as a view, valid until the table grows. */
	stateOf(row) {
		return this.#state.subarray(row * this.width, (row + 1) * this.width);
	}
	shownOf(row) {
		return this.#shown.subarray(row * this.width, (row + 1) * this.width);
	}
	#grow() {
		const larger = (old) => {
			const array = new Float32Array(old.length * 2);
			array.set(old);
			return array;
		};
		this.#state = larger(this.#state);
		this.#shown = larger(this.#shown);
	}
};
// ../../packages/netcode/src/entity-view.ts
var axes = [
	"x",
	"y",
	"z"
];
/** Adds a property for every field of the definition to `target`, reading from and writing to `row`. */
function defineFields(target, definition, row) {
	for (const [name, field] of Object.entries(definition.fields)) {
		const offset = definition.offsets[name];
		if (field.kind === "vec2" || field.kind === "vec3") {
			const vector = vectorView(name, field, offset, row);
			Object.defineProperty(target, name, {
				enumerable: true,
				get: () => vector,
				set: refuse(`${name}`)
			});
		} else defineNumber(target, name, name, field, offset, row);
	}
	return target;
}
/** Writes initial values through a view, so that they are checked as any write. */
function assignFields(view, definition, initial) {
	for (const [name, value] of Object.entries(initial)) {
		const field = definition.fields[name];
		if (!field) {
			const expected = `one of ${Object.keys(definition.fields).join(", ")}`;
			throw new ConfigError({
				field: `${definition.name}.${name}`,
				value,
				expected
			});
		}
		if (field.kind !== "vec2" && field.kind !== "vec3") {
			view[name] = value;
			continue;
		}
		const vector = view[name];
		for (const axis of axes.slice(0, field.kind === "vec2" ? 2 : 3)) vector[axis] = value?.[axis];
	}
}
function vectorView(name, field, offset, row) {
	const vector = {};
	const used = axes.slice(0, field.kind === "vec2" ? 2 : 3);
	used.forEach((axis, index) => defineNumber(vector, axis, `${name}.${axis}`, field, offset + index, row));
	Object.defineProperty(vector, "set", { value: (...values) => {
		used.map((axis, index) => checkedValue(`${name}.${axis}`, field, values[index], row)).forEach((value, index) => write(row, offset + index, value));
	} });
	return vector;
}
function defineNumber(target, key, path, field, offset, row) {
	const isFlag = field.kind === "flag";
	Object.defineProperty(target, key, {
		enumerable: true,
		get: () => {
			row.beforeRead?.();
			const value = row.table[row.layer][row.index * row.table.width + offset];
			return isFlag ? value !== 0 : value;
		},
		set: (value) => write(row, offset, checkedValue(path, field, value, row))
	});
}
function write(row, offset, value) {
	row.table[row.layer][row.index * row.table.width + offset] = value;
}
function checkedValue(path, field, value, row) {
	const name = `${row.table.definition.name}.${path}`;
	if (!row.isWritable) return refuse(name)(value);
	if (field.kind === "flag") {
		if (typeof value !== "boolean") throw new ConfigError({
			field: name,
			value,
			expected: "true or false"
		});
		return value ? 1 : 0;
	}
	if (field.kind === "angle") {
		if (typeof value !== "number" || !Number.isFinite(value)) throw new ConfigError({
			field: name,
			value,
			expected: "a finite number of rad"
		});
		return wrapAngle$1(value);
	}
	const [min, max] = field.range;
	const isWhole = field.kind !== "int" || Number.isInteger(value);
	if (typeof value !== "number" || !(value >= min && value <= max) || !isWhole) throw new ConfigError({
		field: name,
		value,
		expected: `a ${field.kind === "int" ? "whole " : ""}number from ${min} to ${max} ${field.unit}`.trim()
	});
	return value;
}
function refuse(name) {
	return (value) => {
		throw new ConfigError({
			field: name,
			value,
			expected: "nothing: it cannot be assigned here"
		});
	};
}
// ../../packages/netcode/src/remote-motion.ts
/** Blended away to less than a thousandth: no longer computed. */
var BLEND_ENDS_AFTER_HALF_LIVES = 10;
/**
* What is shown of one remote entity: its newest state, continued to now, plus what is left of the difference
* that the last correction made (error blending: exponential decay of the offset).
*/
var RemoteMotion = class {
	#definition;
	#options;
	/** Components that are blended: the position's axes and the heading. */
	#blended;
	#correction;
	#shownBefore;
	#correctedAtMs = Number.NEGATIVE_INFINITY;
	#tick;
	constructor(definition, options) {
		this.#definition = definition;
		this.#options = options;
		const layout = definition.motionLayout;
		const positions = layout ? Array.from({ length: layout.dimensions }, (_, axis) => layout.position + axis) : [];
		this.#blended = layout?.heading === void 0 ? positions : [...positions, layout.heading];
		this.#correction = new Float32Array(this.#blended.length);
		this.#shownBefore = new Float32Array(definition.components.length);
	}
	/** The sender's tick of the newest state. */
	get tick() {
		return this.#tick ?? 0;
	}
	/** Whether a state of `tick` is newer than what is there. */
	isNews(tick) {
		return this.#tick === void 0 || (tick - this.#tick | 0) > 0;
	}
	/**
	* Takes a newer state into `state`. `secondsBefore` and `secondsAfter` tell how far the old and the new state
	* lie back; what is shown now goes on from where it is.
	*/
	correct(state, news, tick, ages, nowMs) {
		const isFirst = this.#tick === void 0;
		if (!isFirst) this.show(state, ages.before, nowMs, this.#shownBefore);
		this.#correction.fill(0);
		state.set(news);
		this.#tick = tick;
		if (isFirst) return;
		const extrapolated = news;
		extrapolate(this.#definition, state, this.#limited(ages.after), extrapolated);
		this.#blended.forEach((component, index) => {
			this.#correction[index] = this.#difference(component, this.#shownBefore[component], extrapolated[component]);
		});
		if (this.#correctionM() > this.#options.snapDistanceM) this.#correction.fill(0);
		this.#correctedAtMs = nowMs;
	}
	/** Computes what to draw at `nowMs`, `ageSeconds` after the newest state, into `into`. */
	show(state, ageSeconds, nowMs, into) {
		extrapolate(this.#definition, state, this.#limited(ageSeconds), into);
		const halfLives = (nowMs - this.#correctedAtMs) / this.#options.blendHalfLifeMs;
		if (halfLives > BLEND_ENDS_AFTER_HALF_LIVES) return;
		const left = 2 ** -halfLives;
		this.#blended.forEach((component, index) => {
			const shown = into[component] + this.#correction[index] * left;
			into[component] = this.#isAngle(component) ? wrapAngle$1(shown) : shown;
		});
	}
	#limited(ageSeconds) {
		return Math.min(ageSeconds, this.#options.extrapolationLimitMs / 1e3);
	}
	#difference(component, a, b) {
		return this.#isAngle(component) ? angleDifference(a, b) : a - b;
	}
	#isAngle(component) {
		return component === this.#definition.motionLayout?.heading;
	}
	#correctionM() {
		const dimensions = this.#definition.motionLayout?.dimensions ?? 0;
		return Math.hypot(...this.#correction.subarray(0, dimensions));
	}
};
// ../../packages/netcode/src/replication.ts
/** An update may leave this much before its interval is over: steps of the game never meet it exactly. */
var INTERVAL_SLACK_MS = 2;
/**
* The owner's view of one entity at its receivers: it continues the state that was sent last as they do, and says
* when that is wrong by more than the threshold.
*/
var Replica = class {
	#definition;
	#sent;
	#expected;
	#previous;
	#previousTick;
	#sentTick = 0;
	#sentAtMs = Number.NEGATIVE_INFINITY;
	constructor(definition) {
		this.#definition = definition;
		const width = definition.components.length;
		this.#sent = new Float32Array(width);
		this.#expected = new Float32Array(width);
		this.#previous = new Float32Array(width);
	}
	/** Fills in velocity and turn rate where the game does not write them: call once per tick, after its writes. */
	derive(state, tick, tickSeconds) {
		const layout = this.#definition.motionLayout;
		if (!layout) return;
		const seconds = this.#previousTick === void 0 ? 0 : (tick - this.#previousTick | 0) * tickSeconds;
		if (seconds > 0) {
			if (!layout.isVelocityDeclared) for (let axis = 0; axis < layout.dimensions; axis++) {
				const moved = state[layout.position + axis] - this.#previous[layout.position + axis];
				state[layout.velocity + axis] = moved / seconds;
			}
			if (layout.heading !== void 0) state[layout.turnRate] = angleDifference(state[layout.heading], this.#previous[layout.heading]) / seconds;
		}
		if (seconds !== 0 || this.#previousTick === void 0) {
			this.#previous.set(state);
			this.#previousTick = tick;
		}
	}
	/** Whether the state has to be sent at this tick. */
	isDue(state, tick, tickSeconds, nowMs, policy) {
		const ageMs = nowMs - this.#sentAtMs;
		if (ageMs < policy.minIntervalMs - INTERVAL_SLACK_MS) return false;
		const heartbeatMs = this.#definition.heartbeatMs ?? policy.heartbeatMs;
		if (ageMs >= (this.#isMoving(state) ? Math.min(heartbeatMs, policy.movingHeartbeatMs) : heartbeatMs)) return true;
		extrapolate(this.#definition, this.#sent, (tick - this.#sentTick | 0) * tickSeconds, this.#expected);
		for (const field of Object.keys(this.#definition.fields)) {
			const threshold = this.#thresholdOf(field, policy);
			if (fieldError(this.#definition, field, state, this.#expected) > threshold) return true;
		}
		return false;
	}
	/** The state went out at this tick. */
	sent(state, tick, nowMs) {
		this.#sent.set(state);
		this.#sentTick = tick;
		this.#sentAtMs = nowMs;
	}
	#thresholdOf(field, policy) {
		const own = this.#definition.threshold[field];
		if (own !== void 0) return own;
		const layout = this.#definition.motionLayout;
		if (layout && field === "position") return policy.positionThresholdM;
		if (layout && field === "heading") return policy.headingThresholdRad;
		if (layout?.isVelocityDeclared && field === "velocity") return Number.POSITIVE_INFINITY;
		return this.#definition.fields[field].precision / 2;
	}
	#isMoving(state) {
		const layout = this.#definition.motionLayout;
		if (!layout) return false;
		for (let axis = 0; axis < layout.dimensions; axis++) if (state[layout.velocity + axis] !== 0 || this.#sent[layout.velocity + axis] !== 0) return true;
		return layout.turnRate !== void 0 && state[layout.turnRate] !== 0;
	}
};
// ../../packages/netcode/src/tick-clock.ts
/** Window over which the fastest arrival counts, in buckets of one second. */
var BUCKETS = 4;
var BUCKET_MS = 1e3;
/** Difference beyond which the estimate jumps: the sender paused, or its page was hidden. */
var JUMP_MS = 250;
/** Else the estimate moves by at most this share of elapsed time, so that nobody sees it. */
var SLEW = .05;
/**
* When another participant's simulation ticks happen, on this machine's clock. The packet that travelled fastest
* says most: the smallest difference between arrival and tick time over a few seconds, less the fastest one-way
* time (half the round trip).
*/
var TickClock = class {
	#msPerTick;
	#buckets = [];
	#bucketStartMs = Number.NEGATIVE_INFINITY;
	#origin;
	#offsetMs;
	#slewedAtMs = 0;
	/** @param tickHz the sender's simulation steps per second */
	constructor(tickHz) {
		this.#msPerTick = 1e3 / tickHz;
	}
	/** A state of `tick` (32 bits, circular) arrived at `nowMs`; the path's round trip takes `rttMs`. */
	observe(tick, nowMs, rttMs) {
		this.#origin ??= tick;
		const sampleMs = nowMs - this.#ticksSinceOrigin(tick) * this.#msPerTick;
		if (nowMs - this.#bucketStartMs >= BUCKET_MS) {
			this.#buckets.push(sampleMs);
			if (this.#buckets.length > BUCKETS) this.#buckets.shift();
			this.#bucketStartMs = nowMs;
		} else {
			const last = this.#buckets.length - 1;
			this.#buckets[last] = Math.min(this.#buckets[last], sampleMs);
		}
		this.#approach(Math.min(...this.#buckets) - rttMs / 2, sampleMs - rttMs / 2, nowMs);
	}
	/** How long ago, in seconds, the sender was at `tick`; 0 before the first observation. Never negative. */
	secondsSince(tick, nowMs) {
		if (this.#offsetMs === void 0) return 0;
		return Math.max(0, nowMs - this.#offsetMs - this.#ticksSinceOrigin(tick) * this.#msPerTick) / 1e3;
	}
	#approach(targetMs, latestMs, nowMs) {
		if (this.#offsetMs === void 0) this.#offsetMs = targetMs;
		else if (Math.abs(latestMs - this.#offsetMs) > JUMP_MS) {
			this.#buckets.splice(0, this.#buckets.length, latestMs);
			this.#offsetMs = latestMs;
		} else {
			const limitMs = SLEW * (nowMs - this.#slewedAtMs);
			const changeMs = targetMs - this.#offsetMs;
			this.#offsetMs += Math.max(-limitMs, Math.min(limitMs, changeMs));
		}
		this.#slewedAtMs = nowMs;
	}
	#ticksSinceOrigin(tick) {
		return tick - this.#origin | 0;
	}
};
// ../../packages/client/src/owned-entities.ts
/** The entities that this participant owns. */
var OwnedEntities = class {
	#tables = /* @__PURE__ */ new Map();
	#records = /* @__PURE__ */ new Map();
	#byEntity = /* @__PURE__ */ new WeakMap();
	#idOf;
	#nextLocalId = 0;
	/** @param idOf the room-wide id of a local one; it changes when the participant gets another number */
	constructor(idOf) {
		this.#idOf = idOf;
	}
	get records() {
		return this.#records.values();
	}
	spawn(definition, initial) {
		if (this.#records.size >= limits.ownedEntities) throw new NetError("limit/entities", `a participant may own ${limits.ownedEntities} entities`);
		const known = definition;
		const table = this.#tables.get(known) ?? new EntityTable(known);
		this.#tables.set(known, table);
		const localId = this.#freeLocalId();
		const row = table.allocate();
		const entity = this.#newEntity(localId, table, row);
		try {
			assignFields(entity, known, initial);
		} catch (error) {
			table.release(row);
			throw error;
		}
		const record = {
			localId,
			definition: known,
			table,
			row,
			replica: new Replica(known),
			entity
		};
		this.#records.set(localId, record);
		this.#byEntity.set(entity, record);
		return record;
	}
	/** Throws {@link ConfigError} for what is not an entity of this participant. */
	despawn(entity) {
		const record = this.#byEntity.get(entity);
		if (!record || !this.#records.delete(record.localId)) throw new ConfigError({
			field: "entity",
			value: entity,
			expected: "an entity that this participant owns"
		});
		record.table.release(record.row);
		return record;
	}
	/** The message that tells a peer of the entity, with its state at `tick`. */
	spawnPayload(record, tick, tickHz) {
		const state = new ByteWriter(record.table.width * 4);
		writeComponents(state, record.table.stateOf(record.row));
		const { name, schemaHash } = record.definition;
		return {
			kind: "spawn",
			localId: record.localId,
			name,
			schemaHash,
			tickHz,
			tick,
			state: state.take()
		};
	}
	/** Completes the entities' states for this tick and collects those that have to be sent. */
	due(tick, tickSeconds, nowMs, policy) {
		const due = [];
		for (const record of this.#records.values()) {
			const state = record.table.stateOf(record.row);
			record.replica.derive(state, tick, tickSeconds);
			if (!record.replica.isDue(state, tick, tickSeconds, nowMs, policy)) continue;
			record.replica.sent(state, tick, nowMs);
			due.push(record);
		}
		return due;
	}
	#newEntity(localId, table, index) {
		const { definition } = table;
		const shown = defineFields({}, definition, {
			table,
			index,
			layer: "state",
			isWritable: false
		});
		const idOf = this.#idOf;
		return defineFields({
			get id() {
				return idOf(localId);
			},
			isMine: true,
			owner: null,
			shown
		}, definition, {
			table,
			index,
			layer: "state",
			isWritable: true
		});
	}
	#freeLocalId() {
		while (this.#records.has(this.#nextLocalId)) this.#nextLocalId = this.#nextLocalId + 1 & 65535;
		const localId = this.#nextLocalId;
		this.#nextLocalId = localId + 1 & 65535;
		return localId;
	}
};
// ../../packages/client/src/direct-path.ts
/** Waits before a new attempt, by the number of attempts that failed before it; the last repeats. */
var RETRY_DELAYS_MS = [
	1e3,
	3e3,
	1e4,
	3e4
];
/** A link that held for so long was good: the next attempt comes soon again. */
var GOOD_AFTER_MS = 15e3;
/** Opens a direct link to one peer, again and again when it fails, for as long as that is allowed. */
var DirectPath = class {
	#options;
	#link;
	#attempt = 0;
	#failures = 0;
	#startedAtMs = 0;
	#isAllowed = false;
	#cancelRetry;
	#lastFailure;
	constructor(options) {
		this.#options = options;
	}
	/** Why the last attempt, or the last link, ended; undefined before any did. */
	get lastFailure() {
		return this.#lastFailure;
	}
	/** Whether a link exists, open or being negotiated. */
	get isTrying() {
		return this.#link !== void 0;
	}
	/** Whether direct links may be used: both sides have WebRTC, and the plan wants it. */
	allow(isAllowed) {
		if (isAllowed === this.#isAllowed) return;
		this.#isAllowed = isAllowed;
		this.#failures = 0;
		if (isAllowed && this.#options.isInitiator) this.#start();
		if (!isAllowed) this.end("not wanted any more");
	}
	/** A signal of the peer. Signals of earlier attempts are stale and ignored. */
	signal(attempt, data) {
		if (!this.#isAllowed) return;
		if (!this.#options.isInitiator && (attempt !== this.#attempt || !this.#link)) {
			if (this.#attempt !== 0 && !isNewer(attempt, this.#attempt)) return;
			this.#link?.close(CloseCode.replaced, "the peer began anew");
			this.#attempt = attempt;
			this.#open();
		}
		if (attempt === this.#attempt) this.#link?.signal(data);
	}
	/** The session says that a link of this pair is gone; true where it was the direct one. */
	linkDown(link, close) {
		if (link !== this.#link) return;
		this.#link = void 0;
		this.#lastFailure = close.reason || `closed with code ${close.code}`;
		if (this.#options.scheduler.nowMs() - this.#startedAtMs > GOOD_AFTER_MS) this.#failures = 0;
		if (this.#isAllowed && this.#options.isInitiator) this.#retryLater();
	}
	/** Closes the link, if there is one, and tries no more until allowed anew. */
	end(reason) {
		this.#isAllowed = false;
		this.#cancelRetry?.();
		this.#cancelRetry = void 0;
		this.#link?.close(CloseCode.left, reason);
	}
	/** Breaks the link without a word, as a network does: for tests of what follows. */
	kill() {
		this.#link?.close(CloseCode.timeout, "killed on purpose");
	}
	#start() {
		this.#cancelRetry = void 0;
		this.#attempt = nextSequence(this.#attempt) || 1;
		this.#open();
	}
	#open() {
		const attempt = this.#attempt;
		this.#startedAtMs = this.#options.scheduler.nowMs();
		const link = new WebRtcLink({
			scheduler: this.#options.scheduler,
			isInitiator: this.#options.isInitiator,
			iceServers: this.#options.iceServers,
			onSignal: (data) => this.#options.sendSignal(attempt, data)
		});
		this.#link = link;
		this.#options.attach(link);
	}
	#retryLater() {
		const delayMs = RETRY_DELAYS_MS[Math.min(this.#failures, RETRY_DELAYS_MS.length - 1)];
		this.#failures += 1;
		this.#cancelRetry ??= this.#options.scheduler.after(delayMs, () => this.#start());
	}
};
// ../../packages/client/src/rate-meter.ts
/** Turns the counters of a peer's links into rates; sampled about once a second. */
var RateMeter = class {
	#seen = /* @__PURE__ */ new WeakMap();
	#window = {
		bytesIn: 0,
		bytesOut: 0,
		updatesIn: 0,
		updatesOut: 0
	};
	#sampledAtMs;
	#rates = {
		bytesInPerSecond: 0,
		bytesOutPerSecond: 0,
		updatesInPerSecond: 0,
		updatesOutPerSecond: 0
	};
	constructor(nowMs) {
		this.#sampledAtMs = nowMs;
	}
	get rates() {
		return this.#rates;
	}
	countUpdateIn() {
		this.#window.updatesIn += 1;
	}
	countUpdatesOut(count) {
		this.#window.updatesOut += count;
	}
	/** Takes what a link has carried since it was looked at last. */
	take(link) {
		const { bytesReceived: bytesIn, bytesSent: bytesOut } = link.counters;
		const before = this.#seen.get(link) ?? {
			bytesIn: 0,
			bytesOut: 0
		};
		this.#window.bytesIn += bytesIn - before.bytesIn;
		this.#window.bytesOut += bytesOut - before.bytesOut;
		this.#seen.set(link, {
			bytesIn,
			bytesOut
		});
	}
	/** Ends the window of measurement. */
	sample(nowMs) {
		const seconds = (nowMs - this.#sampledAtMs) / 1e3;
		if (seconds <= 0) return;
		const { bytesIn, bytesOut, updatesIn, updatesOut } = this.#window;
		this.#rates = {
			bytesInPerSecond: bytesIn / seconds,
			bytesOutPerSecond: bytesOut / seconds,
			updatesInPerSecond: updatesIn / seconds,
			updatesOutPerSecond: updatesOut / seconds
		};
		this.#sampledAtMs = nowMs;
		Object.assign(this.#window, {
			bytesIn: 0,
			bytesOut: 0,
			updatesIn: 0,
			updatesOut: 0
		});
	}
};
// ../../packages/client/src/requests.ts
/** Requests to one peer that wait for their replies. */
var Requests = class {
	#scheduler;
	#pending = /* @__PURE__ */ new Map();
	#nextId = 1;
	constructor(scheduler) {
		this.#scheduler = scheduler;
	}
	/** `send` gets the request's id; the promise settles with the reply, the timeout, or {@link failAll}. */
	start(timeoutMs, send) {
		const id = this.#nextId++ >>> 0;
		return new Promise((resolve, reject) => {
			const cancelTimeout = this.#scheduler.after(timeoutMs, () => {
				this.#pending.delete(id);
				reject(new NetError("request/timeout", `no reply within ${timeoutMs} ms`, { retryable: true }));
			});
			this.#pending.set(id, {
				resolve,
				reject,
				cancelTimeout
			});
			try {
				send(id);
			} catch (error) {
				this.#take(id);
				reject(error instanceof Error ? error : new Error(String(error)));
			}
		});
	}
	/** A reply arrived; one that nobody waits for is ignored. */
	reply(id, ok, message) {
		const request = this.#take(id);
		if (!request) return;
		if (ok) request.resolve(message);
		else request.reject(new NetError("request/refused", typeof message === "string" ? message : "refused"));
	}
	failAll(code, message) {
		for (const id of this.#pending.keys()) this.#take(id)?.reject(new NetError(code, message));
	}
	#take(id) {
		const request = this.#pending.get(id);
		this.#pending.delete(id);
		request?.cancelTimeout();
		return request;
	}
};
// ../../packages/client/src/peer.ts
/** The relay is the last resort: it is there as long as the server is, and needs no proof. */
var relayedOptions = {
	preference: 1,
	needsProof: false,
	connectTimeoutMs: Number.POSITIVE_INFINITY,
	timeoutMs: Number.POSITIVE_INFINITY,
	heartbeatMs: 1e3
};
var directOptions = {
	preference: 10,
	needsProof: true,
	connectTimeoutMs: 1e4,
	timeoutMs: 1e3,
	heartbeatMs: 250
};
/** The pair of this participant and one other: a session of its own, relayed at first, direct once that is proven. */
var PeerConnection = class {
	session;
	requests;
	meter;
	#scheduler;
	#info;
	#handlers;
	#direct;
	#relayed;
	#hasWebRtc;
	#reason = "the relay carries everything at first";
	/** Why a direct link is out of the question; undefined while it is not. */
	#obstacle;
	constructor(options) {
		const { info, handlers, scheduler } = options;
		this.#scheduler = scheduler;
		this.#info = info;
		this.#handlers = handlers;
		this.#hasWebRtc = info.webrtc;
		this.requests = new Requests(scheduler);
		this.meter = new RateMeter(scheduler.nowMs());
		this.session = new Session({
			scheduler,
			currentTick: () => options.currentTick(),
			handlers: {
				onReliable: (payload) => this.#receive(payload),
				onEvent: (body) => this.#receiveEvent(body),
				onState: (body, tick) => handlers.onState(this, body, tick),
				onActiveLink: (link) => this.#pathChanged(link),
				onLinkDown: (link, close) => this.#linkDown(link, close),
				onClosed: () => handlers.onEnded(this)
			}
		});
		this.#direct = new DirectPath({
			scheduler,
			iceServers: options.iceServers,
			isInitiator: options.myNumber > info.number,
			sendSignal: (attempt, data) => handlers.sendSignal(this, attempt, data),
			attach: (link) => this.session.attach(link, directOptions)
		});
	}
	get id() {
		return this.#info.id;
	}
	get number() {
		return this.#info.number;
	}
	get path() {
		return this.session.activeLink?.kind === "webrtc" ? "direct" : "relay";
	}
	get channel() {
		const link = this.session.activeLink;
		if (!link) return "none: the connection to the server is down";
		return link.kind === "webrtc" ? "WebRTC data channels; state unordered, without retransmission" : "WebSocket to the server, relayed from there";
	}
	get reason() {
		return this.path === "relay" && this.#obstacle ? this.#obstacle : this.#reason;
	}
	get rttMs() {
		return this.session.rttMs;
	}
	get stats() {
		return {
			...this.meter.rates,
			lossRatio: this.session.lossRatio
		};
	}
	get hasWebRtc() {
		return this.#hasWebRtc;
	}
	set hasWebRtc(hasWebRtc) {
		this.#hasWebRtc = hasWebRtc;
	}
	/** The path through the server exists (again). */
	relayOver(uplink) {
		this.relayLost();
		this.#relayed = new RelayedLink({
			scheduler: this.#scheduler,
			uplink,
			peerNumber: this.number
		});
		this.session.attach(this.#relayed, relayedOptions);
	}
	/** The path through the server is gone; a direct one goes on. */
	relayLost() {
		this.#relayed?.close(CloseCode.timeout, "the connection to the server is down");
		this.#relayed = void 0;
	}
	/** A packet of this peer came through the server. */
	deliverRelayed(packet) {
		this.#relayed?.deliver(packet);
	}
	/** The relayed link, where it is the one that carries states now. */
	get relayedState() {
		return this.session.activeLink === this.#relayed ? this.#relayed : void 0;
	}
	/** Allows a direct link, or says why there will be none. */
	allowDirect(obstacle) {
		const isNews = obstacle !== this.#obstacle;
		this.#obstacle = obstacle;
		this.#direct.allow(obstacle === void 0);
		if (isNews && this.path === "relay") this.#handlers.onPathChange(this, this.reason);
	}
	signal(attempt, data) {
		this.#direct.signal(attempt, data);
	}
	killDirect() {
		this.#direct.kill();
	}
	send(payload) {
		this.session.sendReliable(writePeerPayload(payload));
	}
	sendEvent(type, message) {
		this.session.sendEvent(writeEvent(type, message));
	}
	/** Takes what the links have carried into the rates. */
	sampleRates(nowMs) {
		for (const link of [this.session.activeLink, this.#relayed]) if (link) this.meter.take(link);
		this.meter.sample(nowMs);
	}
	end(reason) {
		this.#direct.end(reason);
		this.requests.failAll("transport/closed", "the peer has left");
		this.session.close(CloseCode.left, reason);
	}
	#receive(payload) {
		const read = readPeerPayload(payload);
		if (read) this.#handlers.onPayload(this, read);
		else this.session.reportViolation("bad-message");
	}
	#receiveEvent(body) {
		const event = readEvent(body);
		if (event) this.#handlers.onPayload(this, event);
		else this.session.reportViolation("bad-message");
	}
	#pathChanged(link) {
		if (!link) this.#reason = "no path: the connection to the server is down";
		else if (link.kind === "webrtc") this.#reason = "a probe went both ways over a direct WebRTC link";
		else this.#reason = this.#relayReason();
		this.#handlers.onPathChange(this, this.reason);
	}
	#relayReason() {
		const failure = this.#direct.lastFailure;
		return failure ? `the direct link failed: ${failure}` : "the relay carries everything until a direct link is proven";
	}
	#linkDown(link, close) {
		this.meter.take(link);
		this.#direct.linkDown(link, close);
	}
};
// ../../packages/client/src/publisher.ts
/** Header of a published packet, and kind and length of its one message. */
var PACKET_OVERHEAD_BYTES = 11;
/**
* Sends states to everyone: each packet is encoded once, goes once over every direct link, and once to the server
* for all peers that are reached through it.
*/
var Publisher = class {
	#body = new ByteWriter(1280);
	#packet = new ByteWriter(1280);
	#envelope = new ByteWriter(1440);
	#sequence = 0;
	publish(due, tick, peers, uplink) {
		const receivers = [...peers];
		let batch = [];
		let bytes = PACKET_OVERHEAD_BYTES;
		for (const record of due) {
			const more = stateBytes(record.definition);
			if (batch.length > 0 && bytes + more > limits.unreliablePacketBytes) {
				this.#send(batch, tick, receivers, uplink);
				batch = [];
				bytes = PACKET_OVERHEAD_BYTES;
			}
			batch.push(record);
			bytes += more;
		}
		if (batch.length > 0) this.#send(batch, tick, receivers, uplink);
	}
	#send(batch, tick, receivers, uplink) {
		const packet = this.#encode(batch, tick);
		const key = batch.length === 1 ? batch[0].localId + 1 : 0;
		const relayed = [];
		for (const peer of receivers) {
			peer.meter.countUpdatesOut(batch.length);
			const viaRelay = peer.relayedState;
			if (viaRelay) {
				relayed.push(peer.number);
				viaRelay.countShared(packet.length);
			} else peer.session.activeLink?.send("state", packet, key);
		}
		if (!uplink) return;
		for (let first = 0; first < relayed.length; first += limits.envelopeTargets) {
			const targets = relayed.slice(first, first + limits.envelopeTargets);
			writeEnvelope(this.#envelope.reset(), {
				trafficClass: "state",
				key,
				peers: targets,
				packet
			});
			uplink.send("state", this.#envelope.take(), first === 0 ? key : 0);
		}
	}
	#encode(batch, tick) {
		this.#body.reset();
		for (const { localId, table, row } of batch) writeState(this.#body, localId, table.stateOf(row));
		writePacketHeader(this.#packet.reset(), {
			sequence: this.#sequence,
			tick,
			isPublished: true
		});
		writeMessage(this.#packet, MessageKind.state, this.#body.view());
		this.#sequence = nextSequence(this.#sequence);
		return this.#packet.take();
	}
};
// ../../packages/client/src/remote-entities.ts
/** The entities of one peer. What comes in is untrusted: every value is checked against its definition. */
var RemoteEntities = class {
	#options;
	#tables = /* @__PURE__ */ new Map();
	#records = /* @__PURE__ */ new Map();
	/** Spawned by the peer, but of a kind that the game here has not used yet. */
	#unknown = /* @__PURE__ */ new Map();
	#clock;
	#scratch = /* @__PURE__ */ new Float32Array(64);
	constructor(options) {
		this.#options = options;
	}
	*entities(definition) {
		for (const record of this.#records.values()) if (record.definition === definition) yield record.entity;
	}
	/** A reason where the spawn was refused. */
	spawn(spawn) {
		this.despawn(spawn.localId);
		if (this.#records.size + this.#unknown.size >= limits.ownedEntities) return "queue-full";
		const definition = this.#options.definitionNamed(spawn.name);
		if (!definition) {
			this.#unknown.set(spawn.localId, spawn);
			return;
		}
		if (definition.schemaHash !== spawn.schemaHash) {
			this.#options.onMismatch(spawn.name);
			return "bad-message";
		}
		const news = this.#scratchFor(definition);
		const reader = new ByteReader(spawn.state);
		if (!readComponents(reader, definition, news) || reader.remaining > 0) return "out-of-range";
		const record = this.#add(spawn, definition);
		this.#correct(record, news, spawn.tick);
		this.#options.onSpawn(record.entity);
	}
	/** The game began to use a definition: entities that waited for it appear. */
	defined(name) {
		for (const [localId, spawn] of this.#unknown) {
			if (spawn.name !== name) continue;
			this.#unknown.delete(localId);
			this.spawn(spawn);
		}
	}
	despawn(localId) {
		this.#unknown.delete(localId);
		const record = this.#records.get(localId);
		if (!record) return;
		this.#records.delete(localId);
		this.#options.onDespawn(record.entity);
		record.table.release(record.row);
	}
	clear() {
		for (const localId of [...this.#records.keys()]) this.despawn(localId);
		this.#unknown.clear();
	}
	/** Reads a state message; `drop` is told of everything in it that was dropped. Returns the updates applied. */
	receive(body, tick, drop) {
		const reader = new ByteReader(body);
		let applied = 0;
		while (reader.remaining > 0) {
			const { localId, componentCount } = readStateHead(reader);
			const record = this.#records.get(localId);
			if (!record || record.table.width !== componentCount) {
				reader.bytes(componentCount * 4);
				drop(reader.ok ? "unknown-entity" : "length");
				if (!reader.ok) break;
				continue;
			}
			const news = this.#scratchFor(record.definition);
			if (!readComponents(reader, record.definition, news)) drop(reader.ok ? "out-of-range" : "length");
			else if (!record.motion.isNews(tick)) drop("outdated");
			else {
				this.#correct(record, news, tick);
				applied += 1;
			}
		}
		return applied;
	}
	#add({ localId, tickHz }, definition) {
		const table = this.#tables.get(definition) ?? new EntityTable(definition);
		this.#tables.set(definition, table);
		this.#clock ??= new TickClock(tickHz);
		const row = table.allocate();
		const record = {
			definition,
			table,
			row,
			motion: new RemoteMotion(definition, this.#options.motionOptions()),
			clock: this.#clock,
			entity: this.#newEntity(localId, table, row),
			shownAtMs: Number.NEGATIVE_INFINITY
		};
		this.#records.set(localId, record);
		return record;
	}
	#newEntity(localId, table, index) {
		const { owner, clock } = this.#options;
		const recordOf = () => this.#records.get(localId);
		const beforeRead = () => this.#bringUpToDate(recordOf());
		const { definition } = table;
		const shown = defineFields({}, definition, {
			table,
			index,
			layer: "shown",
			isWritable: false,
			beforeRead
		});
		return defineFields({
			id: owner.number * 65536 + localId,
			isMine: false,
			owner,
			shown,
			get lastTick() {
				return recordOf()?.motion.tick ?? 0;
			},
			get ageMs() {
				const record = recordOf();
				return record ? record.clock.secondsSince(record.motion.tick, clock.nowMs()) * 1e3 : 0;
			}
		}, definition, {
			table,
			index,
			layer: "state",
			isWritable: false
		});
	}
	#correct(record, news, tick) {
		const nowMs = this.#options.clock.nowMs();
		const { motion, clock } = record;
		const before = clock.secondsSince(motion.tick, nowMs);
		clock.observe(tick, nowMs, this.#options.owner.rttMs ?? 0);
		const after = clock.secondsSince(tick, nowMs);
		motion.correct(record.table.stateOf(record.row), news, tick, {
			before,
			after
		}, nowMs);
		record.shownAtMs = Number.NEGATIVE_INFINITY;
	}
	/** What is shown is computed on the first read of a moment: an entity that nobody looks at costs nothing. */
	#bringUpToDate(record) {
		const nowMs = this.#options.clock.nowMs();
		if (!record || record.shownAtMs === nowMs) return;
		record.shownAtMs = nowMs;
		const ageSeconds = record.clock.secondsSince(record.motion.tick, nowMs);
		record.motion.show(record.table.stateOf(record.row), ageSeconds, nowMs, record.table.shownOf(record.row));
	}
	#scratchFor(definition) {
		const width = definition.components.length;
		if (width > this.#scratch.length) this.#scratch = new Float32Array(width * 2);
		return this.#scratch.subarray(0, width);
	}
};
// ../../packages/client/src/room-transport.ts
var HISTORY_LENGTH = 200;
/** What carries this room's traffic and why; changeable while the room runs. */
var RoomTransport = class {
	#options;
	#changes = new Listeners();
	#history = [];
	#profile;
	#transports;
	#plan;
	constructor(options) {
		this.#options = options;
		this.#profile = profileNamed(options.profile);
		this.#transports = options.transports;
		this.#plan = this.#decide();
	}
	get profile() {
		return this.#profile.genre;
	}
	get transports() {
		return this.#transports;
	}
	get plan() {
		return this.#plan;
	}
	/** Changes of paths and plans, oldest first, with the time on the room's clock (ms). At most 200 are kept. */
	get history() {
		return this.#history;
	}
	/** The decision tree's choices with their reasons, then the path to the server, then each peer's. */
	explain() {
		const rows = describePlan(this.#plan).map(({ about, choice, reason }) => ({
			about,
			choice,
			reason
		}));
		rows.push(this.#options.serverPath());
		for (const peer of this.#options.peers()) rows.push({
			about: `peer ${peer.number}`,
			choice: `${peer.path}: ${peer.channel}`,
			reason: peer.reason
		});
		return rows;
	}
	/** Changes profile or transports at once. Throws ConfigError for an unknown one; nothing is changed then. */
	configure(change) {
		const profile = change.profile === void 0 ? this.#profile : profileNamed(change.profile);
		const transports = change.transports === void 0 ? this.#transports : checkedTransports(change.transports);
		this.#profile = profile;
		this.#transports = transports;
		this.review();
	}
	/** Asks the tree again: the number of peers, or what is allowed, has changed. */
	review() {
		const before = this.#plan.pairLinks.join(" > ");
		this.#plan = this.#decide();
		const links = this.#plan.pairLinks.join(" > ") || "none";
		if (links !== before) {
			const reason = this.#plan.reasons.at(-1)?.reason ?? "";
			this.record({
				about: "links between players",
				choice: links,
				reason
			});
		}
		this.#options.onPlan();
	}
	/** Notes a change for {@link history} and tells who listens. */
	record(row) {
		this.#history.push({
			atMs: this.#options.scheduler.nowMs(),
			...row
		});
		if (this.#history.length > HISTORY_LENGTH) this.#history.shift();
		this.#changes.tell();
	}
	onChange(listener) {
		return this.#changes.add(listener);
	}
	/** Why there are no direct links between players; undefined where there may be. */
	directObstacle() {
		if (this.#plan.pairLinks.includes("webrtc")) return void 0;
		if (!this.#transports.includes("webrtc")) return "WebRTC is switched off here";
		if (!this.#plan.circumstances.available.webrtc) return "this browser has no WebRTC";
		return [...this.#plan.reasons].reverse().find(({ choice }) => choice.includes("relay"))?.reason ?? "the plan has no direct links";
	}
	/** Breaks direct links without a word, as a network does (of all peers, or of one): for tests and demonstrations. */
	killDirect(peer) {
		for (const candidate of this.#options.peers()) if (!peer || candidate.number === peer.number) candidate.killDirect();
	}
	#decide() {
		const count = [...this.#options.peers()].length;
		const circumstances = circumstancesOf(this.#profile, surroundings(this.#transports, count));
		const topology = this.#options.topology ?? (circumstances.topology === "relay" ? "relay" : "mesh");
		return decide({
			...circumstances,
			topology
		});
	}
};
// ../../packages/client/src/connection-state.ts
/** Every move that there is; anything else is ignored. Printed into docs/STATE-MACHINES.md. */
var connectionTransitions = {
	joining: {
		welcomed: "joined",
		refused: "left",
		leave: "left"
	},
	joined: {
		linkDown: "dropped",
		refused: "left",
		leave: "left"
	},
	dropped: {
		resumed: "joined",
		welcomed: "joined",
		refused: "left",
		leave: "left"
	},
	left: {}
};
/** The state after `event`; undefined where the event means nothing in `state`. */
function nextConnectionState(state, event) {
	return connectionTransitions[state][event];
}
// ../../packages/client/src/server-connection.ts
var CONNECT_TIMEOUT_MS = 8e3;
/** Waits before the attempts to come back; the last one repeats until {@link GIVE_UP_AFTER_MS}. */
var RECONNECT_DELAYS_MS = [
	0,
	250,
	500,
	1e3,
	2e3,
	3e3
];
var GIVE_UP_AFTER_MS = 6e4;
var linkOptions = {
	preference: 1,
	needsProof: false,
	connectTimeoutMs: CONNECT_TIMEOUT_MS,
	timeoutMs: 5e3,
	heartbeatMs: 1e3
};
/** The connection to the server: joins, comes back after a drop, and carries control messages and envelopes. */
var ServerConnection = class {
	#options;
	#call;
	#state = "joining";
	#session;
	#identity;
	#linkUrl = "";
	#roomName = "";
	#attempts = 0;
	#droppedAtMs = 0;
	#cancelAttempt;
	#settle;
	constructor(options) {
		this.#options = options;
		this.#call = options.call;
		this.#session = this.#newSession();
	}
	get state() {
		return this.#state;
	}
	/** The link to the server; undefined while there is none. */
	get link() {
		return this.#session.activeLink;
	}
	get rttMs() {
		return this.#session.rttMs;
	}
	/** Gets a seat and takes it; resolves when the server has said welcome. */
	async join() {
		const cancelDeadline = this.#options.scheduler.after(1e4, () => this.#refuse(new NetError("session/timeout", "no welcome from the server", { retryable: true })));
		const welcomed = new Promise((resolve, reject) => this.#settle = {
			resolve,
			reject
		});
		this.#takeSeat().catch((error) => this.#refuse(error));
		try {
			await welcomed;
		} finally {
			cancelDeadline();
		}
	}
	/** Sends a control message; it waits while the connection is down. */
	send(message) {
		if (!this.#session.isClosed) this.#session.sendReliable(writeControl(message));
	}
	leave() {
		if (!this.#move("leave")) return;
		this.send({ type: "leave" });
		this.#stop(CloseCode.left, "left");
		this.#options.handlers.onLeft(CloseCode.left, "left");
	}
	async #takeSeat() {
		const { serverUrl, webrtc, webSocket, scheduler } = this.#options;
		const seat = await requestSeat({
			serverUrl,
			call: this.#call,
			webrtc: webrtc(),
			timeoutMs: CONNECT_TIMEOUT_MS
		});
		if (this.#state === "left" || this.#state === "joined") return;
		this.#linkUrl = seat.linkUrl;
		const socket = new webSocket(seat.linkUrl, [WEBSOCKET_PROTOCOL, `ticket.${seat.ticket}`]);
		this.#session.attach(new WebSocketLink(socket, { scheduler }), linkOptions);
	}
	#newSession() {
		return new Session({
			scheduler: this.#options.scheduler,
			currentTick: () => this.#options.currentTick(),
			handlers: {
				onReliable: (payload) => this.#receive(payload),
				onRouted: (packet) => this.#options.handlers.onRouted(packet),
				onLinkDown: (_, close) => this.#linkDown(close),
				onClosed: (close) => this.#linkDown(close)
			}
		});
	}
	#receive(payload) {
		const message = payload[0] === PayloadKind.control ? readServerMessage(payload.subarray(1)) : void 0;
		if (!message) return this.#session.reportViolation("bad-message");
		switch (message.type) {
			case "welcome": return this.#welcomed(message);
			case "resumed":
				if (!this.#move("resumed")) return;
				this.#attempts = 0;
				return this.#options.handlers.onResumed();
			default: return this.#options.handlers.onControl(message);
		}
	}
	#welcomed(welcome) {
		if (!this.#move("welcomed")) return;
		this.#attempts = 0;
		this.#identity = {
			sessionId: welcome.sessionId,
			token: welcome.token
		};
		this.#roomName = welcome.roomName;
		if (this.#call.method === "create") this.#call = {
			...this.#call,
			method: "joinOrCreate"
		};
		this.#settle?.resolve();
		this.#options.handlers.onWelcome(welcome);
	}
	#linkDown(close) {
		if (this.#state === "left" || this.#session.activeLink) return;
		if (this.#state === "joining") return this.#refuse(errorOf(close));
		if (isFinal(close.code)) return this.#end(close.code, close.reason);
		if (close.code === CloseCode.sessionUnknown || close.code === CloseCode.refused) this.#forgetSession();
		if (this.#move("linkDown")) {
			this.#droppedAtMs = this.#options.scheduler.nowMs();
			this.#options.handlers.onDrop(close.reason || `code ${close.code}`);
		}
		if (this.#session.isClosed) this.#forgetSession();
		this.#attemptLater();
	}
	/** The server does not know us any more: the next attempt asks for a new seat in a room like the one before. */
	#forgetSession() {
		this.#identity = void 0;
		this.#session.close(CloseCode.left, "forgotten by the server");
		this.#session = this.#newSession();
	}
	#attemptLater() {
		const { scheduler } = this.#options;
		if (scheduler.nowMs() - this.#droppedAtMs > GIVE_UP_AFTER_MS) return this.#end(CloseCode.timeout, `no connection for ${GIVE_UP_AFTER_MS / 1e3} s`);
		const delayMs = RECONNECT_DELAYS_MS[Math.min(this.#attempts, RECONNECT_DELAYS_MS.length - 1)];
		this.#attempts += 1;
		this.#cancelAttempt?.();
		this.#cancelAttempt = scheduler.after(delayMs, () => this.#attempt());
	}
	#attempt() {
		if (this.#state !== "dropped") return;
		if (this.#identity) return this.#resume(this.#identity);
		this.#takeSeat().catch((error) => {
			if (this.#state !== "dropped") return;
			this.#widenCall(error);
			this.#attemptLater();
		});
	}
	#resume({ sessionId, token }) {
		const { webSocket, scheduler } = this.#options;
		const socket = new webSocket(this.#linkUrl, [WEBSOCKET_PROTOCOL, `resume.${sessionId}.${token}`]);
		this.#session.attach(new WebSocketLink(socket, { scheduler }), linkOptions);
	}
	/** The room is gone with the server that had it: any room of its kind and options will do. */
	#widenCall(error) {
		if (!(error instanceof NetError) || error.code !== "match/not-found") return;
		this.#call = {
			...this.#call,
			method: "joinOrCreate",
			target: this.#roomName
		};
	}
	#refuse(error) {
		if (this.#state !== "joining") return;
		this.#move("refused");
		this.#stop(CloseCode.refused, "not joined");
		this.#settle?.reject(error);
	}
	#end(code, reason) {
		if (!this.#move("refused")) return;
		this.#stop(code, reason);
		this.#options.handlers.onLeft(code, reason);
	}
	#stop(code, reason) {
		this.#cancelAttempt?.();
		this.#session.close(code, reason);
	}
	#move(event) {
		const next = nextConnectionState(this.#state, event);
		if (next) this.#state = next;
		return next !== void 0;
	}
};
/** Closes after which trying again would be wrong. */
function isFinal(code) {
	return code === CloseCode.kicked || code === CloseCode.flooding || code === CloseCode.protocolViolation || code === CloseCode.originRefused || code === CloseCode.versionMismatch;
}
function errorOf(close) {
	const code = {
		[CloseCode.refused]: "session/refused",
		[CloseCode.ticketExpired]: "session/expired",
		[CloseCode.ticketUsed]: "session/expired",
		[CloseCode.sessionUnknown]: "session/expired",
		[CloseCode.originRefused]: "session/origin",
		[CloseCode.versionMismatch]: "session/version",
		[CloseCode.timeout]: "session/timeout"
	}[close.code] ?? "transport/closed";
	return new NetError(code, close.reason || `the link closed with code ${close.code}`, { retryable: code === "session/expired" || code === "session/timeout" || code === "transport/closed" });
}
// ../../packages/client/src/tick-source.ts
/**
* The simulation's tick. A game that steps a simulation says its tick after every step; for one that does not, ticks
* pass with the clock.
*/
var TickSource = class {
	#clock;
	tickHz;
	#startedAtMs;
	#tick;
	constructor(clock, tickHz) {
		this.#clock = clock;
		this.tickHz = tickHz;
		this.#startedAtMs = clock.nowMs();
	}
	/** Whether the game says the ticks itself. */
	get isDriven() {
		return this.#tick !== void 0;
	}
	/** 32 bits, circular. */
	get tick() {
		if (this.#tick !== void 0) return this.#tick;
		return Math.floor((this.#clock.nowMs() - this.#startedAtMs) * this.tickHz / 1e3) >>> 0;
	}
	set tick(tick) {
		this.#tick = tick >>> 0;
	}
};
// ../../packages/client/src/room.ts
/** How remote entities are freed of jumps: half of a correction is gone after 80 ms, more than 10 m is shown at once. */
var BLEND_HALF_LIFE_MS = 80;
var SNAP_DISTANCE_M = 10;
var RATE_PERIOD_MS = 1e3;
var REQUEST_TIMEOUT_MS = 5e3;
/**
* A room that this participant is in: the others, their entities, messages. Made by {@link Client}. Everything that
* it sends goes to every peer over the best path that the pair has.
*/
var Room = class {
	/** What came in and was dropped, by reason. */
	drops = new DropCounters();
	transport;
	#setup;
	#connection;
	#ticks;
	#members = /* @__PURE__ */ new Map();
	#owned;
	#publisher = new Publisher();
	#definitions = /* @__PURE__ */ new Map();
	#messageListeners = /* @__PURE__ */ new Map();
	#requestHandlers = /* @__PURE__ */ new Map();
	#joins = new Listeners();
	#leaves = new Listeners();
	#spawns = new Listeners();
	#despawns = new Listeners();
	#dropListeners = new Listeners();
	#reconnects = new Listeners();
	#leftListeners = new Listeners();
	#errors = new Listeners();
	#timers = [];
	#welcome;
	#iceServers = [];
	/** @internal Use {@link Client}. */
	constructor(setup) {
		this.#setup = setup;
		const { scheduler } = setup;
		this.#ticks = new TickSource(scheduler, setup.tickHz);
		this.#owned = new OwnedEntities((localId) => this.myNumber * 65536 + localId);
		this.transport = new RoomTransport({
			scheduler,
			profile: setup.profile,
			transports: setup.transports,
			topology: setup.topology,
			peers: () => this.#peerConnections(),
			serverPath: () => this.#explainServer(),
			onPlan: () => this.#applyPlan()
		});
		this.#connection = new ServerConnection({
			...setup,
			webrtc: () => this.#hasWebRtc(),
			currentTick: () => this.#ticks.tick,
			handlers: {
				onWelcome: (welcome) => this.#welcomed(welcome),
				onResumed: () => this.#resumed(),
				onDrop: (reason) => this.#dropped(reason),
				onLeft: (code, reason) => this.#left(code, reason),
				onControl: (message) => this.#control(message),
				onRouted: (packet) => this.#routed(packet)
			}
		});
	}
	/** Name of the kind of room. */
	get name() {
		return this.#welcome?.roomName ?? "";
	}
	get roomId() {
		return this.#welcome?.roomId ?? "";
	}
	get sessionId() {
		return this.#welcome?.sessionId ?? "";
	}
	/** This participant's number, as the others have it in {@link Peer.number}; the lowest joined first. */
	get myNumber() {
		return this.#welcome?.number ?? 0;
	}
	get state() {
		return this.#connection.state;
	}
	/** The others in the room, in the order of joining. */
	get peers() {
		return [...this.#peerConnections()];
	}
	/** The room's clock: milliseconds, monotonic. */
	nowMs() {
		return this.#setup.scheduler.nowMs();
	}
	/** @internal Resolves when the server has said welcome. */
	async join() {
		const plan = this.transport.plan;
		if (!plan.canConnect) throw new NetError("transport/unavailable", plan.reasons.at(-1)?.reason ?? "no transport can be used");
		await this.#connection.join();
		const { scheduler } = this.#setup;
		this.#timers.push(scheduler.every(RATE_PERIOD_MS, () => this.#sampleRates()), scheduler.every(1e3 / plan.numbers.stateHz, () => {
			if (!this.#ticks.isDriven) this.#replicate();
		}));
	}
	/**
	* Creates an entity that this participant owns; every peer sees it until {@link despawn} or leaving. Throws
	* {@link ConfigError} for an initial value that is out of range.
	*/
	spawn(definition, initial = {}) {
		this.#use(definition);
		const record = this.#owned.spawn(definition, initial);
		for (const peer of this.#peerConnections()) peer.send(this.#owned.spawnPayload(record, this.#ticks.tick, this.#ticks.tickHz));
		return record.entity;
	}
	despawn(entity) {
		const { localId } = this.#owned.despawn(entity);
		for (const peer of this.#peerConnections()) peer.send({
			kind: "despawn",
			localId
		});
	}
	/** All entities of a kind, one's own first. */
	*entities(definition) {
		this.#use(definition);
		const known = definition;
		for (const record of this.#owned.records) if (record.definition === known) yield record.entity;
		for (const { entities } of this.#members.values()) yield* entities.entities(known);
	}
	/**
	* Says that the simulation has made a step: states are stamped with its tick, and what has to be sent is sent.
	* Without any call the SDK does so itself, at the profile's rate. Throws {@link ConfigError} for what is no tick.
	*/
	advance(tick) {
		if (!Number.isSafeInteger(tick) || tick < 0) throw new ConfigError({
			field: "tick",
			value: tick,
			expected: "a whole number of steps, 0 or more"
		});
		this.#ticks.tick = tick;
		this.#replicate();
	}
	/** Sends a message that arrives exactly once and in order, to one peer or to all. */
	send(type, message, to) {
		checkType(type);
		for (const peer of this.#receivers(to)) peer.send({
			kind: "command",
			type,
			message
		});
	}
	/** Sends a message that may be lost, and that is dropped rather than late. */
	sendEvent(type, message, to) {
		checkType(type);
		for (const peer of this.#receivers(to)) peer.sendEvent(type, message);
	}
	/** Asks a peer; rejects with {@link NetError} when it refuses, leaves or is silent for `timeoutMs`. */
	async request(type, message, to, timeoutMs = REQUEST_TIMEOUT_MS) {
		checkType(type);
		const [peer] = this.#receivers(to);
		return await peer.requests.start(timeoutMs, (id) => peer.send({
			kind: "request",
			id,
			type,
			message
		}));
	}
	/** Answers requests of a type: with what `handler` returns or resolves to; what it throws refuses the request. */
	onRequest(type, handler) {
		checkType(type);
		this.#requestHandlers.set(type, handler);
		return () => {
			if (this.#requestHandlers.get(type) === handler) this.#requestHandlers.delete(type);
		};
	}
	/** Messages of a type, sent with {@link send} or {@link sendEvent}. Their content is a peer's: check it. */
	onMessage(type, listener) {
		checkType(type);
		const listeners = this.#messageListeners.get(type) ?? new Listeners();
		this.#messageListeners.set(type, listeners);
		return listeners.add(listener);
	}
	onPeerJoin(listener) {
		return this.#joins.add(listener);
	}
	onPeerLeave(listener) {
		return this.#leaves.add(listener);
	}
	/** A peer's entity appears, of a kind that {@link spawn} or {@link entities} was called with. */
	onSpawn(listener) {
		return this.#spawns.add(listener);
	}
	onDespawn(listener) {
		return this.#despawns.add(listener);
	}
	/** The connection to the server is lost; the SDK is already trying to come back. Direct links go on. */
	onDrop(listener) {
		return this.#dropListeners.add(listener);
	}
	/**
	* Back again. `resumed`: the same session, nothing was lost. Otherwise the server had forgotten it: the room was
	* joined anew, own entities are kept, the peers are new.
	*/
	onReconnect(listener) {
		return this.#reconnects.add(listener);
	}
	/** The end, wanted or not; last event of a room. */
	onLeave(listener) {
		return this.#leftListeners.add(listener);
	}
	/** Something is wrong that the game should know and that ends nothing (see docs/ERRORS.md). */
	onError(listener) {
		return this.#errors.add(listener);
	}
	/** Leaves for good. */
	leave() {
		this.#connection.leave();
	}
	*#peerConnections() {
		for (const { peer } of this.#members.values()) yield peer;
	}
	#receivers(to) {
		if (this.state === "left") throw new NetError("session/ended", "the room was left");
		if (!to) return [...this.#peerConnections()];
		const member = this.#members.get(to.number);
		if (!member || member.peer.id !== to.id) throw new NetError("transport/closed", "that peer is not in the room");
		return [member.peer];
	}
	#use(definition) {
		const known = this.#definitions.get(definition.name);
		if (known === definition) return;
		if (known) throw new ConfigError({
			field: "definition",
			value: definition.name,
			expected: "one definition of a name per room"
		});
		this.#definitions.set(definition.name, definition);
		for (const { entities } of this.#members.values()) entities.defined(definition.name);
	}
	#replicate() {
		if (this.state === "left") return;
		const { tick, tickHz } = this.#ticks;
		const due = this.#owned.due(tick, 1 / tickHz, this.nowMs(), this.#policy());
		if (due.length > 0) this.#publisher.publish(due, tick, this.#peerConnections(), this.#connection.link);
	}
	#policy() {
		const { numbers } = this.transport.plan;
		return {
			minIntervalMs: 1e3 / numbers.stateHz,
			heartbeatMs: numbers.heartbeatMs,
			movingHeartbeatMs: numbers.extrapolationLimitMs * .6,
			positionThresholdM: numbers.thresholdM,
			headingThresholdRad: numbers.headingRad
		};
	}
	#motionOptions() {
		return {
			extrapolationLimitMs: this.transport.plan.numbers.extrapolationLimitMs,
			blendHalfLifeMs: BLEND_HALF_LIFE_MS,
			snapDistanceM: SNAP_DISTANCE_M
		};
	}
	#welcomed(welcome) {
		const isReturn = this.#welcome !== void 0;
		for (const number of [...this.#members.keys()]) this.#removePeer(number, "the room was joined anew");
		this.#welcome = welcome;
		this.#iceServers = welcome.iceServers;
		this.transport.record({
			about: "server",
			choice: "websocket",
			reason: "joined"
		});
		for (const info of welcome.peers) this.#addPeer(info);
		this.transport.review();
		if (isReturn) this.#reconnects.tell({ resumed: false });
	}
	#resumed() {
		this.transport.record({
			about: "server",
			choice: "websocket",
			reason: "the session was resumed"
		});
		const { link } = this.#connection;
		if (link) for (const peer of this.#peerConnections()) peer.relayOver(link);
		this.#reconnects.tell({ resumed: true });
	}
	#dropped(reason) {
		for (const peer of this.#peerConnections()) peer.relayLost();
		this.transport.record({
			about: "server",
			choice: "none",
			reason
		});
		this.#dropListeners.tell(reason);
	}
	#left(code, reason) {
		for (const cancel of this.#timers.splice(0)) cancel();
		for (const number of [...this.#members.keys()]) this.#removePeer(number, "the room was left");
		this.#leftListeners.tell(code, reason);
	}
	#control(message) {
		switch (message.type) {
			case "joined":
				this.#addPeer(message.peer);
				return this.transport.review();
			case "left":
				this.#removePeer(message.number, "left");
				return this.transport.review();
			case "capabilities": {
				const peer = this.#members.get(message.number)?.peer;
				if (peer) peer.hasWebRtc = message.webrtc;
				return this.#applyPlan();
			}
			case "signal": return this.#members.get(message.from)?.peer.signal(message.attempt, message.data);
			case "welcome":
			case "resumed": return;
		}
	}
	#routed(packet) {
		const envelope = isRouted(packet) ? readEnvelope(packet) : "flags";
		if (typeof envelope === "string") return this.drops.count(envelope);
		const member = this.#members.get(envelope.peers[0]);
		if (member && envelope.peers.length === 1) member.peer.deliverRelayed(envelope.packet);
		else this.drops.count("not-routable");
	}
	#addPeer(info) {
		if (this.#members.has(info.number) || info.number === this.myNumber) return;
		const { scheduler } = this.#setup;
		const peer = new PeerConnection({
			info,
			myNumber: this.myNumber,
			scheduler,
			iceServers: this.#iceServers,
			currentTick: () => this.#ticks.tick,
			handlers: {
				onPayload: (from, payload) => this.#payload(from, payload),
				onState: (from, body, tick) => this.#state(from, body, tick),
				onPathChange: (of, reason) => this.#pathChanged(of, reason),
				onEnded: (of) => this.#removePeer(of.number, "ended by the peer"),
				sendSignal: (of, attempt, data) => this.#connection.send({
					type: "signal",
					to: of.number,
					attempt,
					data
				})
			}
		});
		const entities = new RemoteEntities({
			owner: peer,
			clock: scheduler,
			definitionNamed: (name) => this.#definitions.get(name),
			motionOptions: () => this.#motionOptions(),
			onSpawn: (entity) => this.#spawns.tell(entity),
			onDespawn: (entity) => this.#despawns.tell(entity),
			onMismatch: (name) => this.#mismatched(name, peer)
		});
		this.#members.set(info.number, {
			peer,
			entities
		});
		if (this.#connection.link) peer.relayOver(this.#connection.link);
		for (const record of this.#owned.records) peer.send(this.#owned.spawnPayload(record, this.#ticks.tick, this.#ticks.tickHz));
		this.#joins.tell(peer);
	}
	#removePeer(number, reason) {
		const member = this.#members.get(number);
		if (!member) return;
		this.#members.delete(number);
		member.entities.clear();
		member.peer.end(reason);
		this.#leaves.tell(member.peer);
	}
	#payload(from, payload) {
		const entities = this.#members.get(from.number)?.entities;
		switch (payload.kind) {
			case "command": return this.#messageListeners.get(payload.type)?.tell(payload.message, from);
			case "request": return this.#answer(from, payload);
			case "reply": return from.requests.reply(payload.id, payload.ok, payload.message);
			case "spawn": {
				const dropped = entities?.spawn(payload);
				if (dropped) this.drops.count(dropped);
				return;
			}
			case "despawn": return entities?.despawn(payload.localId);
		}
	}
	#answer(from, request) {
		const reply = (ok, message) => guarded(() => {
			if (!from.session.isClosed) from.send({
				kind: "reply",
				id: request.id,
				ok,
				message
			});
		});
		const handler = this.#requestHandlers.get(request.type);
		if (!handler) return reply(false, `no handler for ${request.type}`);
		Promise.resolve().then(() => handler(request.message, from)).then((answer) => reply(true, answer), (error) => {
			reportGameError(error);
			reply(false, "the handler failed");
		});
	}
	#state(from, body, tick) {
		const applied = (this.#members.get(from.number)?.entities)?.receive(body, tick, (reason) => this.drops.count(reason)) ?? 0;
		for (let count = 0; count < applied; count++) from.meter.countUpdateIn();
	}
	#pathChanged(peer, reason) {
		this.transport.record({
			about: `peer ${peer.number}`,
			choice: `${peer.path}: ${peer.channel}`,
			reason
		});
	}
	#mismatched(name, peer) {
		const message = `peer ${peer.number} describes "${name}" differently: another build of the game?`;
		this.#errors.tell(new NetError("schema/mismatch", message));
	}
	#hasWebRtc() {
		return this.transport.plan.circumstances.available.webrtc && this.transport.plan.pairLinks.includes("webrtc");
	}
	#applyPlan() {
		const obstacle = this.transport.directObstacle();
		const hasWebRtc = this.#hasWebRtc();
		if (this.#welcome && hasWebRtc !== this.#announced) {
			this.#connection.send({
				type: "capabilities",
				webrtc: hasWebRtc
			});
			this.#announced = hasWebRtc;
		}
		for (const peer of this.#peerConnections()) peer.allowDirect(obstacle ?? (peer.hasWebRtc ? void 0 : "the peer has no WebRTC, or does not want it"));
	}
	#explainServer() {
		const { link, rttMs, state } = this.#connection;
		const measured = rttMs === void 0 ? "" : `, round trip ${rttMs.toFixed(1)} ms`;
		return link ? {
			about: "server",
			choice: `websocket${measured}`,
			reason: "joins, signals, relays"
		} : {
			about: "server",
			choice: "none",
			reason: `connection ${state}`
		};
	}
	#sampleRates() {
		for (const peer of this.#peerConnections()) peer.sampleRates(this.nowMs());
	}
	#announced;
};
function checkType(type) {
	if (!(typeof type === "string" && type.length > 0 && type.length <= limits.nameBytes)) throw new ConfigError({
		field: "type",
		value: type,
		expected: `text of 1 to ${limits.nameBytes} characters`
	});
}
// ../../packages/client/src/client.ts
/**
* The way into rooms of one server.
*
* Every method rejects with {@link NetError} (see docs/ERRORS.md) when the server refuses or cannot be reached, and
* throws {@link ConfigError} for arguments that can never work.
*/
var Client = class {
	#serverUrl;
	#webSocket;
	#transports;
	#options;
	#tickHz;
	/** @param endpoint the server's address: http(s) or ws(s) */
	constructor(endpoint, options) {
		this.#serverUrl = serverUrlOf(endpoint);
		profileNamed(options.profile);
		this.#transports = checkedTransports(options.transports);
		this.#webSocket = webSocketOf(options.webSocket);
		this.#tickHz = options.tickHz ?? 60;
		if (!Number.isInteger(this.#tickHz) || this.#tickHz < 1 || this.#tickHz > 255) throw new ConfigError({
			field: "tickHz",
			value: this.#tickHz,
			expected: "a whole number of steps per second from 1 to 255"
		});
		const { topology } = options;
		if (topology !== void 0 && topology !== "mesh" && topology !== "relay") throw new ConfigError({
			field: "topology",
			value: topology,
			expected: `"mesh" or "relay"`
		});
		this.#options = options;
	}
	/** Joins an open room of that name and with equal options, or creates one. */
	joinOrCreate(roomName, options = {}) {
		return this.#enter("joinOrCreate", roomName, options);
	}
	/** Creates a room. */
	create(roomName, options = {}) {
		return this.#enter("create", roomName, options);
	}
	/** Joins an open room; rejects with `match/not-found` where there is none. */
	join(roomName, options = {}) {
		return this.#enter("join", roomName, options);
	}
	/** Joins the room with that id. */
	joinById(roomId) {
		return this.#enter("joinById", roomId, {});
	}
	async #enter(method, target, options) {
		const room = new Room({
			serverUrl: this.#serverUrl,
			call: checkedCall(method, target, options),
			scheduler: this.#options.scheduler ?? systemScheduler,
			webSocket: this.#webSocket,
			profile: this.#options.profile,
			transports: this.#transports,
			topology: this.#options.topology,
			tickHz: this.#tickHz
		});
		await room.join();
		return room;
	}
};
// ../../node_modules/.pnpm/ws@8.23.0/node_modules/ws/lib/constants.js
var require_constants = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var BINARY_TYPES = [
		"nodebuffer",
		"arraybuffer",
		"fragments"
	];
	var hasBlob = typeof Blob !== "undefined";
	if (hasBlob) BINARY_TYPES.push("blob");
	module.exports = {
		BINARY_TYPES,
		CLOSE_TIMEOUT: 3e4,
		EMPTY_BUFFER: Buffer.alloc(0),
		GUID: "258EAFA5-E914-47DA-95CA-C5AB0DC85B11",
		hasBlob,
		kForOnEventAttribute: Symbol("kIsForOnEventAttribute"),
		kListener: Symbol("kListener"),
		kStatusCode: Symbol("status-code"),
		kWebSocket: Symbol("websocket"),
		NOOP: () => {}
	};
}));
// __vite-optional-peer-dep:bufferutil:ws
var __vite_optional_peer_dep_bufferutil_ws_exports = /* @__PURE__ */ __exportAll({ default: () => __vite_optional_peer_dep_bufferutil_ws_default });
var __vite_optional_peer_dep_bufferutil_ws_default;
var init___vite_optional_peer_dep_bufferutil_ws = __esmMin((() => {
	__vite_optional_peer_dep_bufferutil_ws_default = {};
	throw new Error(`Could not resolve "bufferutil" imported by "ws". Is it installed?`);
}));
// ../../node_modules/.pnpm/ws@8.23.0/node_modules/ws/lib/buffer-util.js
var require_buffer_util = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var { websocketMask, websocketUnmask } = __require("http");
	var { EMPTY_BUFFER } = require_constants();
	var FastBuffer = Buffer[Symbol.species];
	/**
	* Merges an array of buffers into a new buffer.
	*
	* @param {Buffer[]} list The array of buffers to concat
	* @param {Number} totalLength The total length of buffers in the list
	* @return {Buffer} The resulting buffer
	* @public
	*/
	function concat(list, totalLength) {
		if (list.length === 0) return EMPTY_BUFFER;
		if (list.length === 1) return list[0];
		const target = Buffer.allocUnsafe(totalLength);
		let offset = 0;
		for (let i = 0; i < list.length; i++) {
			const buf = list[i];
			target.set(buf, offset);
			offset += buf.length;
		}
		if (offset < totalLength) return new FastBuffer(target.buffer, target.byteOffset, offset);
		return target;
	}
	/**
	* Masks a buffer using the given mask.
	*
	* @param {Buffer} source The buffer to mask
	* @param {Buffer} mask The mask to use
	* @param {Buffer} output The buffer where to store the result
	* @param {Number} offset The offset at which to start writing
	* @param {Number} length The number of bytes to mask.
	* @public
	*/
	function _mask(source, mask, output, offset, length) {
		for (let i = 0; i < length; i++) output[offset + i] = source[i] ^ mask[i & 3];
	}
	/**
	* Unmasks a buffer using the given mask.
	*
	* @param {Buffer} buffer The buffer to unmask
	* @param {Buffer} mask The mask to use
	* @public
	*/
	function _unmask(buffer, mask) {
		for (let i = 0; i < buffer.length; i++) buffer[i] ^= mask[i & 3];
	}
	/**
	* Converts a buffer to an `ArrayBuffer`.
	*
	* @param {Buffer} buf The buffer to convert
	* @return {ArrayBuffer} Converted buffer
	* @public
	*/
	function toArrayBuffer(buf) {
		if (buf.length === buf.buffer.byteLength) return buf.buffer;
		return buf.buffer.slice(buf.byteOffset, buf.byteOffset + buf.length);
	}
	/**
	* Converts `data` to a `Buffer`.
	*
	* @param {*} data The data to convert
	* @return {Buffer} The buffer
	* @throws {TypeError}
	* @public
	*/
	function toBuffer(data) {
		toBuffer.readOnly = true;
		if (Buffer.isBuffer(data)) return data;
		let buf;
		if (data instanceof ArrayBuffer) buf = new FastBuffer(data);
		else if (ArrayBuffer.isView(data)) buf = new FastBuffer(data.buffer, data.byteOffset, data.byteLength);
		else {
			buf = Buffer.from(data);
			toBuffer.readOnly = false;
		}
		return buf;
	}
	module.exports = {
		concat,
		mask: _mask,
		toArrayBuffer,
		toBuffer,
		unmask: _unmask
	};
	if (websocketMask) {
		module.exports.mask = function(source, mask, output, offset, length) {
			if (length < 24) _mask(source, mask, output, offset, length);
			else websocketMask(source, mask, output, offset, length);
		};
		module.exports.unmask = function(buffer, mask) {
			if (buffer.length < 24) _unmask(buffer, mask);
			else websocketUnmask(buffer, mask);
		};
	} else if (!process.env.WS_NO_BUFFER_UTIL) try {
		const bufferUtil = (init___vite_optional_peer_dep_bufferutil_ws(), __toCommonJS(__vite_optional_peer_dep_bufferutil_ws_exports));
		module.exports.mask = function(source, mask, output, offset, length) {
			if (length < 48) _mask(source, mask, output, offset, length);
			else bufferUtil.mask(source, mask, output, offset, length);
		};
		module.exports.unmask = function(buffer, mask) {
			if (buffer.length < 32) _unmask(buffer, mask);
			else bufferUtil.unmask(buffer, mask);
		};
	} catch (e) {}
}));
// ../../node_modules/.pnpm/ws@8.23.0/node_modules/ws/lib/limiter.js
var require_limiter = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var kDone = Symbol("kDone");
	var kRun = Symbol("kRun");
	/**
	* A very simple job queue with adjustable concurrency. Adapted from
	* https://github.com/STRML/async-limiter
	*/
	var Limiter = class {
		/**
		* Creates a new `Limiter`.
		*
		* @param {Number} [concurrency=Infinity] The maximum number of jobs allowed
		*     to run concurrently
		*/
		constructor(concurrency) {
			this[kDone] = () => {
				this.pending--;
				this[kRun]();
			};
			this.concurrency = concurrency || Infinity;
			this.jobs = [];
			this.pending = 0;
		}
		/**
		* Adds a job to the queue.
		*
		* @param {Function} job The job to run
		* @public
		*/
		add(job) {
			this.jobs.push(job);
			this[kRun]();
		}
		/**
		* Removes a job from the queue and runs it if possible.
		*
		* @private
		*/
		[kRun]() {
			if (this.pending === this.concurrency) return;
			if (this.jobs.length) {
				const job = this.jobs.shift();
				this.pending++;
				job(this[kDone]);
			}
		}
	};
	module.exports = Limiter;
}));
// ../../node_modules/.pnpm/ws@8.23.0/node_modules/ws/lib/permessage-deflate.js
var require_permessage_deflate = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var zlib = __require("zlib");
	var bufferUtil = require_buffer_util();
	var Limiter = require_limiter();
	var { kStatusCode } = require_constants();
	var FastBuffer = Buffer[Symbol.species];
	var TRAILER = Buffer.from([
		0,
		0,
		255,
		255
	]);
	var kPerMessageDeflate = Symbol("permessage-deflate");
	var kTotalLength = Symbol("total-length");
	var kCallback = Symbol("callback");
	var kBuffers = Symbol("buffers");
	var kError = Symbol("error");
	var zlibLimiter;
	/**
	* permessage-deflate implementation.
	*/
	var PerMessageDeflate = class {
		/**
		* Creates a PerMessageDeflate instance.
		*
		* @param {Object} [options] Configuration options
		* @param {(Boolean|Number)} [options.clientMaxWindowBits] Advertise support
		*     for, or request, a custom client window size
		* @param {Boolean} [options.clientNoContextTakeover=false] Advertise/
		*     acknowledge disabling of client context takeover
		* @param {Number} [options.concurrencyLimit=10] The number of concurrent
		*     calls to zlib
		* @param {Boolean} [options.isServer=false] Create the instance in either
		*     server or client mode
		* @param {Number} [options.maxPayload=0] The maximum allowed message length
		* @param {(Boolean|Number)} [options.serverMaxWindowBits] Request/confirm the
		*     use of a custom server window size
		* @param {Boolean} [options.serverNoContextTakeover=false] Request/accept
		*     disabling of server context takeover
		* @param {Number} [options.threshold=1024] Size (in bytes) below which
		*     messages should not be compressed if context takeover is disabled
		* @param {Object} [options.zlibDeflateOptions] Options to pass to zlib on
		*     deflate
		* @param {Object} [options.zlibInflateOptions] Options to pass to zlib on
		*     inflate
		*/
		constructor(options) {
			this._options = options || {};
			this._threshold = this._options.threshold !== void 0 ? this._options.threshold : 1024;
			this._maxPayload = this._options.maxPayload | 0;
			this._isServer = !!this._options.isServer;
			this._deflate = null;
			this._inflate = null;
			this.params = null;
			if (!zlibLimiter) zlibLimiter = new Limiter(this._options.concurrencyLimit !== void 0 ? this._options.concurrencyLimit : 10);
		}
		/**
		* @type {String}
		*/
		static get extensionName() {
			return "permessage-deflate";
		}
		/**
		* Create an extension negotiation offer.
		*
		* @return {Object} Extension parameters
		* @public
		*/
		offer() {
			const params = {};
			if (this._options.serverNoContextTakeover) params.server_no_context_takeover = true;
			if (this._options.clientNoContextTakeover) params.client_no_context_takeover = true;
			if (this._options.serverMaxWindowBits) params.server_max_window_bits = this._options.serverMaxWindowBits;
			if (this._options.clientMaxWindowBits) params.client_max_window_bits = this._options.clientMaxWindowBits;
			else if (this._options.clientMaxWindowBits == null) params.client_max_window_bits = true;
			return params;
		}
		/**
		* Accept an extension negotiation offer/response.
		*
		* @param {Array} configurations The extension negotiation offers/reponse
		* @return {Object} Accepted configuration
		* @public
		*/
		accept(configurations) {
			configurations = this.normalizeParams(configurations);
			this.params = this._isServer ? this.acceptAsServer(configurations) : this.acceptAsClient(configurations);
			return this.params;
		}
		/**
		* Releases all resources used by the extension.
		*
		* @public
		*/
		cleanup() {
			if (this._inflate) {
				this._inflate.close();
				this._inflate = null;
			}
			if (this._deflate) {
				const callback = this._deflate[kCallback];
				this._deflate.close();
				this._deflate = null;
				if (callback) callback(/* @__PURE__ */ new Error("The deflate stream was closed while data was being processed"));
			}
		}
		/**
		*  Accept an extension negotiation offer.
		*
		* @param {Array} offers The extension negotiation offers
		* @return {Object} Accepted configuration
		* @private
		*/
		acceptAsServer(offers) {
			const opts = this._options;
			const accepted = offers.find((params) => {
				if (opts.serverNoContextTakeover === false && params.server_no_context_takeover || params.server_max_window_bits && (opts.serverMaxWindowBits === false || typeof opts.serverMaxWindowBits === "number" && opts.serverMaxWindowBits > params.server_max_window_bits) || typeof opts.clientMaxWindowBits === "number" && (typeof params.client_max_window_bits === "number" ? opts.clientMaxWindowBits > params.client_max_window_bits : !params.client_max_window_bits)) return false;
				return true;
			});
			if (!accepted) throw new Error("None of the extension offers can be accepted");
			if (opts.serverNoContextTakeover) accepted.server_no_context_takeover = true;
			if (opts.clientNoContextTakeover) accepted.client_no_context_takeover = true;
			if (typeof opts.serverMaxWindowBits === "number") accepted.server_max_window_bits = opts.serverMaxWindowBits;
			if (typeof opts.clientMaxWindowBits === "number") accepted.client_max_window_bits = opts.clientMaxWindowBits;
			else if (accepted.client_max_window_bits === true || opts.clientMaxWindowBits === false) delete accepted.client_max_window_bits;
			return accepted;
		}
		/**
		* Accept the extension negotiation response.
		*
		* @param {Array} response The extension negotiation response
		* @return {Object} Accepted configuration
		* @private
		*/
		acceptAsClient(response) {
			const params = response[0];
			if (this._options.clientNoContextTakeover === false && params.client_no_context_takeover) throw new Error("Unexpected parameter \"client_no_context_takeover\"");
			if (!params.client_max_window_bits) {
				if (typeof this._options.clientMaxWindowBits === "number") params.client_max_window_bits = this._options.clientMaxWindowBits;
			} else if (this._options.clientMaxWindowBits === false || typeof this._options.clientMaxWindowBits === "number" && params.client_max_window_bits > this._options.clientMaxWindowBits) throw new Error("Unexpected or invalid parameter \"client_max_window_bits\"");
			return params;
		}
		/**
		* Normalize parameters.
		*
		* @param {Array} configurations The extension negotiation offers/reponse
		* @return {Array} The offers/response with normalized parameters
		* @private
		*/
		normalizeParams(configurations) {
			configurations.forEach((params) => {
				Object.keys(params).forEach((key) => {
					let value = params[key];
					if (value.length > 1) throw new Error(`Parameter "${key}" must have only a single value`);
					value = value[0];
					if (key === "client_max_window_bits") {
						if (value !== true) {
							const num = +value;
							if (!Number.isInteger(num) || num < 8 || num > 15) throw new TypeError(`Invalid value for parameter "${key}": ${value}`);
							value = num;
						} else if (!this._isServer) throw new TypeError(`Invalid value for parameter "${key}": ${value}`);
					} else if (key === "server_max_window_bits") {
						const num = +value;
						if (!Number.isInteger(num) || num < 8 || num > 15) throw new TypeError(`Invalid value for parameter "${key}": ${value}`);
						value = num;
					} else if (key === "client_no_context_takeover" || key === "server_no_context_takeover") {
						if (value !== true) throw new TypeError(`Invalid value for parameter "${key}": ${value}`);
					} else throw new Error(`Unknown parameter "${key}"`);
					params[key] = value;
				});
			});
			return configurations;
		}
		/**
		* Decompress data. Concurrency limited.
		*
		* @param {Buffer} data Compressed data
		* @param {Boolean} fin Specifies whether or not this is the last fragment
		* @param {Function} callback Callback
		* @public
		*/
		decompress(data, fin, callback) {
			zlibLimiter.add((done) => {
				this._decompress(data, fin, (err, result) => {
					done();
					callback(err, result);
				});
			});
		}
		/**
		* Compress data. Concurrency limited.
		*
		* @param {(Buffer|String)} data Data to compress
		* @param {Boolean} fin Specifies whether or not this is the last fragment
		* @param {Function} callback Callback
		* @public
		*/
		compress(data, fin, callback) {
			zlibLimiter.add((done) => {
				this._compress(data, fin, (err, result) => {
					done();
					callback(err, result);
				});
			});
		}
		/**
		* Decompress data.
		*
		* @param {Buffer} data Compressed data
		* @param {Boolean} fin Specifies whether or not this is the last fragment
		* @param {Function} callback Callback
		* @private
		*/
		_decompress(data, fin, callback) {
			const endpoint = this._isServer ? "client" : "server";
			if (!this._inflate) {
				const key = `${endpoint}_max_window_bits`;
				const windowBits = typeof this.params[key] !== "number" ? zlib.Z_DEFAULT_WINDOWBITS : this.params[key];
				this._inflate = zlib.createInflateRaw({
					...this._options.zlibInflateOptions,
					windowBits
				});
				this._inflate[kPerMessageDeflate] = this;
				this._inflate[kTotalLength] = 0;
				this._inflate[kBuffers] = [];
				this._inflate.on("error", inflateOnError);
				this._inflate.on("data", inflateOnData);
			}
			this._inflate[kCallback] = callback;
			this._inflate.write(data);
			if (fin) this._inflate.write(TRAILER);
			this._inflate.flush(() => {
				const err = this._inflate[kError];
				if (err) {
					this._inflate.close();
					this._inflate = null;
					callback(err);
					return;
				}
				const data = bufferUtil.concat(this._inflate[kBuffers], this._inflate[kTotalLength]);
				if (this._inflate._readableState.endEmitted) {
					this._inflate.close();
					this._inflate = null;
				} else {
					this._inflate[kTotalLength] = 0;
					this._inflate[kBuffers] = [];
					if (fin && this.params[`${endpoint}_no_context_takeover`]) this._inflate.reset();
				}
				callback(null, data);
			});
		}
		/**
		* Compress data.
		*
		* @param {(Buffer|String)} data Data to compress
		* @param {Boolean} fin Specifies whether or not this is the last fragment
		* @param {Function} callback Callback
		* @private
		*/
		_compress(data, fin, callback) {
			const endpoint = this._isServer ? "server" : "client";
			if (!this._deflate) {
				const key = `${endpoint}_max_window_bits`;
				const windowBits = typeof this.params[key] !== "number" ? zlib.Z_DEFAULT_WINDOWBITS : this.params[key];
				this._deflate = zlib.createDeflateRaw({
					...this._options.zlibDeflateOptions,
					windowBits
				});
				this._deflate[kTotalLength] = 0;
				this._deflate[kBuffers] = [];
				this._deflate.on("data", deflateOnData);
			}
			this._deflate[kCallback] = callback;
			this._deflate.write(data);
			this._deflate.flush(zlib.Z_SYNC_FLUSH, () => {
				if (!this._deflate) return;
				let data = bufferUtil.concat(this._deflate[kBuffers], this._deflate[kTotalLength]);
				if (fin) data = new FastBuffer(data.buffer, data.byteOffset, data.length - 4);
				this._deflate[kCallback] = null;
				this._deflate[kTotalLength] = 0;
				this._deflate[kBuffers] = [];
				if (fin && this.params[`${endpoint}_no_context_takeover`]) this._deflate.reset();
				callback(null, data);
			});
		}
	};
	module.exports = PerMessageDeflate;
	/**
	* The listener of the `zlib.DeflateRaw` stream `'data'` event.
	*
	* @param {Buffer} chunk A chunk of data
	* @private
	*/
	function deflateOnData(chunk) {
		this[kBuffers].push(chunk);
		this[kTotalLength] += chunk.length;
	}
	/**
	* The listener of the `zlib.InflateRaw` stream `'data'` event.
	*
	* @param {Buffer} chunk A chunk of data
	* @private
	*/
	function inflateOnData(chunk) {
		this[kTotalLength] += chunk.length;
		if (this[kPerMessageDeflate]._maxPayload < 1 || this[kTotalLength] <= this[kPerMessageDeflate]._maxPayload) {
			this[kBuffers].push(chunk);
			return;
		}
		this[kError] = /* @__PURE__ */ new RangeError("Max payload size exceeded");
		this[kError].code = "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";
		this[kError][kStatusCode] = 1009;
		this.removeListener("data", inflateOnData);
		this.reset();
	}
	/**
	* The listener of the `zlib.InflateRaw` stream `'error'` event.
	*
	* @param {Error} err The emitted error
	* @private
	*/
	function inflateOnError(err) {
		this[kPerMessageDeflate]._inflate = null;
		if (this[kError]) {
			this[kCallback](this[kError]);
			return;
		}
		err[kStatusCode] = 1007;
		this[kCallback](err);
	}
}));
// __vite-optional-peer-dep:utf-8-validate:ws
var __vite_optional_peer_dep_utf_8_validate_ws_exports = /* @__PURE__ */ __exportAll({ default: () => __vite_optional_peer_dep_utf_8_validate_ws_default });
var __vite_optional_peer_dep_utf_8_validate_ws_default;
var init___vite_optional_peer_dep_utf_8_validate_ws = __esmMin((() => {
	__vite_optional_peer_dep_utf_8_validate_ws_default = {};
	throw new Error(`Could not resolve "utf-8-validate" imported by "ws". Is it installed?`);
}));
// ../../node_modules/.pnpm/ws@8.23.0/node_modules/ws/lib/validation.js
var require_validation = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var { isUtf8 } = __require("buffer");
	var { hasBlob } = require_constants();
	var tokenChars = [
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		1,
		0,
		1,
		1,
		1,
		1,
		1,
		0,
		0,
		1,
		1,
		0,
		1,
		1,
		0,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		0,
		0,
		0,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		0,
		1,
		0,
		1,
		0
	];
	/**
	* Checks if a status code is allowed in a close frame.
	*
	* @param {Number} code The status code
	* @return {Boolean} `true` if the status code is valid, else `false`
	* @public
	*/
	function isValidStatusCode(code) {
		return code >= 1e3 && code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006 || code >= 3e3 && code <= 4999;
	}
	/**
	* Checks if a given buffer contains only correct UTF-8.
	* Ported from https://www.cl.cam.ac.uk/%7Emgk25/ucs/utf8_check.c by
	* Markus Kuhn.
	*
	* @param {Buffer} buf The buffer to check
	* @return {Boolean} `true` if `buf` contains only correct UTF-8, else `false`
	* @public
	*/
	function _isValidUTF8(buf) {
		const len = buf.length;
		let i = 0;
		while (i < len) if ((buf[i] & 128) === 0) i++;
		else if ((buf[i] & 224) === 192) {
			if (i + 1 === len || (buf[i + 1] & 192) !== 128 || (buf[i] & 254) === 192) return false;
			i += 2;
		} else if ((buf[i] & 240) === 224) {
			if (i + 2 >= len || (buf[i + 1] & 192) !== 128 || (buf[i + 2] & 192) !== 128 || buf[i] === 224 && (buf[i + 1] & 224) === 128 || buf[i] === 237 && (buf[i + 1] & 224) === 160) return false;
			i += 3;
		} else if ((buf[i] & 248) === 240) {
			if (i + 3 >= len || (buf[i + 1] & 192) !== 128 || (buf[i + 2] & 192) !== 128 || (buf[i + 3] & 192) !== 128 || buf[i] === 240 && (buf[i + 1] & 240) === 128 || buf[i] === 244 && buf[i + 1] > 143 || buf[i] > 244) return false;
			i += 4;
		} else return false;
		return true;
	}
	/**
	* Determines whether a value is a `Blob`.
	*
	* @param {*} value The value to be tested
	* @return {Boolean} `true` if `value` is a `Blob`, else `false`
	* @private
	*/
	function isBlob(value) {
		return hasBlob && typeof value === "object" && typeof value.arrayBuffer === "function" && typeof value.type === "string" && typeof value.stream === "function" && (value[Symbol.toStringTag] === "Blob" || value[Symbol.toStringTag] === "File");
	}
	module.exports = {
		isBlob,
		isValidStatusCode,
		isValidUTF8: _isValidUTF8,
		tokenChars
	};
	if (isUtf8) module.exports.isValidUTF8 = function(buf) {
		return buf.length < 24 ? _isValidUTF8(buf) : isUtf8(buf);
	};
	else if (!process.env.WS_NO_UTF_8_VALIDATE) try {
		const isValidUTF8 = (init___vite_optional_peer_dep_utf_8_validate_ws(), __toCommonJS(__vite_optional_peer_dep_utf_8_validate_ws_exports));
		module.exports.isValidUTF8 = function(buf) {
			return buf.length < 32 ? _isValidUTF8(buf) : isValidUTF8(buf);
		};
	} catch (e) {}
}));
// ../../node_modules/.pnpm/ws@8.23.0/node_modules/ws/lib/receiver.js
var require_receiver = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var { Writable } = __require("stream");
	var PerMessageDeflate = require_permessage_deflate();
	var { BINARY_TYPES, EMPTY_BUFFER, kStatusCode, kWebSocket } = require_constants();
	var { concat, toArrayBuffer, unmask } = require_buffer_util();
	var { isValidStatusCode, isValidUTF8 } = require_validation();
	var FastBuffer = Buffer[Symbol.species];
	var GET_INFO = 0;
	var GET_PAYLOAD_LENGTH_16 = 1;
	var GET_PAYLOAD_LENGTH_64 = 2;
	var GET_MASK = 3;
	var GET_DATA = 4;
	var INFLATING = 5;
	var DEFER_EVENT = 6;
	/**
	* HyBi Receiver implementation.
	*
	* @extends Writable
	*/
	var Receiver = class extends Writable {
		/**
		* Creates a Receiver instance.
		*
		* @param {Object} [options] Options object
		* @param {Boolean} [options.allowSynchronousEvents=true] Specifies whether
		*     any of the `'message'`, `'ping'`, and `'pong'` events can be emitted
		*     multiple times in the same tick
		* @param {String} [options.binaryType=nodebuffer] The type for binary data
		* @param {Object} [options.extensions] An object containing the negotiated
		*     extensions
		* @param {Boolean} [options.isServer=false] Specifies whether to operate in
		*     client or server mode
		* @param {Number} [options.maxBufferedChunks=0] The maximum number of
		*     buffered data chunks
		* @param {Number} [options.maxFragments=0] The maximum number of message
		*     fragments
		* @param {Number} [options.maxPayload=0] The maximum allowed message length
		* @param {Boolean} [options.skipUTF8Validation=false] Specifies whether or
		*     not to skip UTF-8 validation for text and close messages
		*/
		constructor(options = {}) {
			super();
			this._allowSynchronousEvents = options.allowSynchronousEvents !== void 0 ? options.allowSynchronousEvents : true;
			this._binaryType = options.binaryType || BINARY_TYPES[0];
			this._extensions = options.extensions || {};
			this._isServer = !!options.isServer;
			this._maxBufferedChunks = options.maxBufferedChunks | 0;
			this._maxFragments = options.maxFragments | 0;
			this._maxPayload = options.maxPayload | 0;
			this._skipUTF8Validation = !!options.skipUTF8Validation;
			this[kWebSocket] = void 0;
			this._bufferedBytes = 0;
			this._buffers = [];
			this._compressed = false;
			this._payloadLength = 0;
			this._mask = void 0;
			this._fragmented = 0;
			this._masked = false;
			this._fin = false;
			this._opcode = 0;
			this._totalPayloadLength = 0;
			this._messageLength = 0;
			this._numFragments = 0;
			this._fragments = [];
			this._errored = false;
			this._loop = false;
			this._state = GET_INFO;
		}
		/**
		* Implements `Writable.prototype._write()`.
		*
		* @param {Buffer} chunk The chunk of data to write
		* @param {String} encoding The character encoding of `chunk`
		* @param {Function} cb Callback
		* @private
		*/
		_write(chunk, encoding, cb) {
			if (this._opcode === 8 && this._state == GET_INFO) return cb();
			if (this._maxBufferedChunks > 0 && this._buffers.length >= this._maxBufferedChunks) {
				cb(this.createError(RangeError, "Too many buffered chunks", false, 1008, "WS_ERR_TOO_MANY_BUFFERED_PARTS"));
				return;
			}
			this._bufferedBytes += chunk.length;
			this._buffers.push(chunk);
			this.startLoop(cb);
		}
		/**
		* Consumes `n` bytes from the buffered data.
		*
		* @param {Number} n The number of bytes to consume
		* @return {Buffer} The consumed bytes
		* @private
		*/
		consume(n) {
			this._bufferedBytes -= n;
			if (n === this._buffers[0].length) return this._buffers.shift();
			if (n < this._buffers[0].length) {
				const buf = this._buffers[0];
				this._buffers[0] = new FastBuffer(buf.buffer, buf.byteOffset + n, buf.length - n);
				return new FastBuffer(buf.buffer, buf.byteOffset, n);
			}
			const dst = Buffer.allocUnsafe(n);
			do {
				const buf = this._buffers[0];
				const offset = dst.length - n;
				if (n >= buf.length) dst.set(this._buffers.shift(), offset);
				else {
					dst.set(new Uint8Array(buf.buffer, buf.byteOffset, n), offset);
					this._buffers[0] = new FastBuffer(buf.buffer, buf.byteOffset + n, buf.length - n);
				}
				n -= buf.length;
			} while (n > 0);
			return dst;
		}
		/**
		* Starts the parsing loop.
		*
		* @param {Function} cb Callback
		* @private
		*/
		startLoop(cb) {
			this._loop = true;
			do
				switch (this._state) {
					case GET_INFO:
						this.getInfo(cb);
						break;
					case GET_PAYLOAD_LENGTH_16:
						this.getPayloadLength16(cb);
						break;
					case GET_PAYLOAD_LENGTH_64:
						this.getPayloadLength64(cb);
						break;
					case GET_MASK:
						this.getMask();
						break;
					case GET_DATA:
						this.getData(cb);
						break;
					case INFLATING:
					case DEFER_EVENT:
						this._loop = false;
						return;
				}
			while (this._loop);
			if (!this._errored) cb();
		}
		/**
		* Reads the first two bytes of a frame.
		*
		* @param {Function} cb Callback
		* @private
		*/
		getInfo(cb) {
			if (this._bufferedBytes < 2) {
				this._loop = false;
				return;
			}
			const buf = this.consume(2);
			if ((buf[0] & 48) !== 0) {
				cb(this.createError(RangeError, "RSV2 and RSV3 must be clear", true, 1002, "WS_ERR_UNEXPECTED_RSV_2_3"));
				return;
			}
			const compressed = (buf[0] & 64) === 64;
			if (compressed && !this._extensions[PerMessageDeflate.extensionName]) {
				cb(this.createError(RangeError, "RSV1 must be clear", true, 1002, "WS_ERR_UNEXPECTED_RSV_1"));
				return;
			}
			this._fin = (buf[0] & 128) === 128;
			this._opcode = buf[0] & 15;
			this._payloadLength = buf[1] & 127;
			if (this._opcode === 0) {
				if (compressed) {
					cb(this.createError(RangeError, "RSV1 must be clear", true, 1002, "WS_ERR_UNEXPECTED_RSV_1"));
					return;
				}
				if (!this._fragmented) {
					cb(this.createError(RangeError, "invalid opcode 0", true, 1002, "WS_ERR_INVALID_OPCODE"));
					return;
				}
				this._opcode = this._fragmented;
			} else if (this._opcode === 1 || this._opcode === 2) {
				if (this._fragmented) {
					cb(this.createError(RangeError, `invalid opcode ${this._opcode}`, true, 1002, "WS_ERR_INVALID_OPCODE"));
					return;
				}
				this._compressed = compressed;
			} else if (this._opcode > 7 && this._opcode < 11) {
				if (!this._fin) {
					cb(this.createError(RangeError, "FIN must be set", true, 1002, "WS_ERR_EXPECTED_FIN"));
					return;
				}
				if (compressed) {
					cb(this.createError(RangeError, "RSV1 must be clear", true, 1002, "WS_ERR_UNEXPECTED_RSV_1"));
					return;
				}
				if (this._payloadLength > 125 || this._opcode === 8 && this._payloadLength === 1) {
					cb(this.createError(RangeError, `invalid payload length ${this._payloadLength}`, true, 1002, "WS_ERR_INVALID_CONTROL_PAYLOAD_LENGTH"));
					return;
				}
			} else {
				cb(this.createError(RangeError, `invalid opcode ${this._opcode}`, true, 1002, "WS_ERR_INVALID_OPCODE"));
				return;
			}
			if (!this._fin && !this._fragmented) this._fragmented = this._opcode;
			this._masked = (buf[1] & 128) === 128;
			if (this._isServer) {
				if (!this._masked) {
					cb(this.createError(RangeError, "MASK must be set", true, 1002, "WS_ERR_EXPECTED_MASK"));
					return;
				}
			} else if (this._masked) {
				cb(this.createError(RangeError, "MASK must be clear", true, 1002, "WS_ERR_UNEXPECTED_MASK"));
				return;
			}
			if (this._payloadLength === 126) this._state = GET_PAYLOAD_LENGTH_16;
			else if (this._payloadLength === 127) this._state = GET_PAYLOAD_LENGTH_64;
			else this.haveLength(cb);
		}
		/**
		* Gets extended payload length (7+16).
		*
		* @param {Function} cb Callback
		* @private
		*/
		getPayloadLength16(cb) {
			if (this._bufferedBytes < 2) {
				this._loop = false;
				return;
			}
			this._payloadLength = this.consume(2).readUInt16BE(0);
			this.haveLength(cb);
		}
		/**
		* Gets extended payload length (7+64).
		*
		* @param {Function} cb Callback
		* @private
		*/
		getPayloadLength64(cb) {
			if (this._bufferedBytes < 8) {
				this._loop = false;
				return;
			}
			const buf = this.consume(8);
			const num = buf.readUInt32BE(0);
			if (num > Math.pow(2, 21) - 1) {
				cb(this.createError(RangeError, "Unsupported WebSocket frame: payload length > 2^53 - 1", false, 1009, "WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH"));
				return;
			}
			this._payloadLength = num * Math.pow(2, 32) + buf.readUInt32BE(4);
			this.haveLength(cb);
		}
		/**
		* Payload length has been read.
		*
		* @param {Function} cb Callback
		* @private
		*/
		haveLength(cb) {
			if (this._payloadLength && this._opcode < 8) {
				this._totalPayloadLength += this._payloadLength;
				if (this._totalPayloadLength > this._maxPayload && this._maxPayload > 0) {
					cb(this.createError(RangeError, "Max payload size exceeded", false, 1009, "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH"));
					return;
				}
			}
			if (this._masked) this._state = GET_MASK;
			else this._state = GET_DATA;
		}
		/**
		* Reads mask bytes.
		*
		* @private
		*/
		getMask() {
			if (this._bufferedBytes < 4) {
				this._loop = false;
				return;
			}
			this._mask = this.consume(4);
			this._state = GET_DATA;
		}
		/**
		* Reads data bytes.
		*
		* @param {Function} cb Callback
		* @private
		*/
		getData(cb) {
			let data = EMPTY_BUFFER;
			if (this._payloadLength) {
				if (this._bufferedBytes < this._payloadLength) {
					this._loop = false;
					return;
				}
				data = this.consume(this._payloadLength);
				if (this._masked && (this._mask[0] | this._mask[1] | this._mask[2] | this._mask[3]) !== 0) unmask(data, this._mask);
			}
			this._mask = void 0;
			if (this._opcode > 7) {
				this.controlMessage(data, cb);
				return;
			}
			if (this._maxFragments > 0 && ++this._numFragments > this._maxFragments) {
				cb(this.createError(RangeError, "Too many message fragments", false, 1008, "WS_ERR_TOO_MANY_BUFFERED_PARTS"));
				return;
			}
			if (this._compressed) {
				this._state = INFLATING;
				this.decompress(data, cb);
				return;
			}
			if (data.length) {
				this._messageLength = this._totalPayloadLength;
				this._fragments.push(data);
			}
			this.dataMessage(cb);
		}
		/**
		* Decompresses data.
		*
		* @param {Buffer} data Compressed data
		* @param {Function} cb Callback
		* @private
		*/
		decompress(data, cb) {
			this._extensions[PerMessageDeflate.extensionName].decompress(data, this._fin, (err, buf) => {
				if (err) return cb(err);
				if (buf.length) {
					this._messageLength += buf.length;
					if (this._messageLength > this._maxPayload && this._maxPayload > 0) {
						cb(this.createError(RangeError, "Max payload size exceeded", false, 1009, "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH"));
						return;
					}
					this._fragments.push(buf);
				}
				this.dataMessage(cb);
				if (this._state === GET_INFO) this.startLoop(cb);
			});
		}
		/**
		* Handles a data message.
		*
		* @param {Function} cb Callback
		* @private
		*/
		dataMessage(cb) {
			if (!this._fin) {
				this._state = GET_INFO;
				return;
			}
			const messageLength = this._messageLength;
			const fragments = this._fragments;
			this._totalPayloadLength = 0;
			this._messageLength = 0;
			this._fragmented = 0;
			this._numFragments = 0;
			this._fragments = [];
			if (this._opcode === 2) {
				let data;
				if (this._binaryType === "nodebuffer") data = concat(fragments, messageLength);
				else if (this._binaryType === "arraybuffer") data = toArrayBuffer(concat(fragments, messageLength));
				else if (this._binaryType === "blob") data = new Blob(fragments);
				else data = fragments;
				if (this._allowSynchronousEvents) {
					this.emit("message", data, true);
					this._state = GET_INFO;
				} else {
					this._state = DEFER_EVENT;
					setImmediate(() => {
						this.emit("message", data, true);
						this._state = GET_INFO;
						this.startLoop(cb);
					});
				}
			} else {
				const buf = concat(fragments, messageLength);
				if (!this._skipUTF8Validation && !isValidUTF8(buf)) {
					cb(this.createError(Error, "invalid UTF-8 sequence", true, 1007, "WS_ERR_INVALID_UTF8"));
					return;
				}
				if (this._state === INFLATING || this._allowSynchronousEvents) {
					this.emit("message", buf, false);
					this._state = GET_INFO;
				} else {
					this._state = DEFER_EVENT;
					setImmediate(() => {
						this.emit("message", buf, false);
						this._state = GET_INFO;
						this.startLoop(cb);
					});
				}
			}
		}
		/**
		* Handles a control message.
		*
		* @param {Buffer} data Data to handle
		* @return {(Error|RangeError|undefined)} A possible error
		* @private
		*/
		controlMessage(data, cb) {
			if (this._opcode === 8) {
				if (data.length === 0) {
					this._loop = false;
					this.emit("conclude", 1005, EMPTY_BUFFER);
					this.end();
				} else {
					const code = data.readUInt16BE(0);
					if (!isValidStatusCode(code)) {
						cb(this.createError(RangeError, `invalid status code ${code}`, true, 1002, "WS_ERR_INVALID_CLOSE_CODE"));
						return;
					}
					const buf = new FastBuffer(data.buffer, data.byteOffset + 2, data.length - 2);
					if (!this._skipUTF8Validation && !isValidUTF8(buf)) {
						cb(this.createError(Error, "invalid UTF-8 sequence", true, 1007, "WS_ERR_INVALID_UTF8"));
						return;
					}
					this._loop = false;
					this.emit("conclude", code, buf);
					this.end();
				}
				this._state = GET_INFO;
				return;
			}
			if (this._allowSynchronousEvents) {
				this.emit(this._opcode === 9 ? "ping" : "pong", data);
				this._state = GET_INFO;
			} else {
				this._state = DEFER_EVENT;
				setImmediate(() => {
					this.emit(this._opcode === 9 ? "ping" : "pong", data);
					this._state = GET_INFO;
					this.startLoop(cb);
				});
			}
		}
		/**
		* Builds an error object.
		*
		* @param {function(new:Error|RangeError)} ErrorCtor The error constructor
		* @param {String} message The error message
		* @param {Boolean} prefix Specifies whether or not to add a default prefix to
		*     `message`
		* @param {Number} statusCode The status code
		* @param {String} errorCode The exposed error code
		* @return {(Error|RangeError)} The error
		* @private
		*/
		createError(ErrorCtor, message, prefix, statusCode, errorCode) {
			this._loop = false;
			this._errored = true;
			const err = new ErrorCtor(prefix ? `Invalid WebSocket frame: ${message}` : message);
			Error.captureStackTrace(err, this.createError);
			err.code = errorCode;
			err[kStatusCode] = statusCode;
			return err;
		}
	};
	module.exports = Receiver;
}));
// ../../node_modules/.pnpm/ws@8.23.0/node_modules/ws/lib/sender.js
var require_sender = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var { Duplex } = __require("stream");
	var { randomFillSync } = __require("crypto");
	var { types: { isUint8Array } } = __require("util");
	var PerMessageDeflate = require_permessage_deflate();
	var { EMPTY_BUFFER, kWebSocket, NOOP } = require_constants();
	var { isBlob, isValidStatusCode } = require_validation();
	var { mask: applyMask, toBuffer } = require_buffer_util();
	var kByteLength = Symbol("kByteLength");
	var maskBuffer = Buffer.alloc(4);
	var RANDOM_POOL_SIZE = 8192;
	var randomPool;
	var randomPoolPointer = RANDOM_POOL_SIZE;
	var DEFAULT = 0;
	var DEFLATING = 1;
	var GET_BLOB_DATA = 2;
	module.exports = class Sender {
		/**
		* Creates a Sender instance.
		*
		* @param {Duplex} socket The connection socket
		* @param {Object} [extensions] An object containing the negotiated extensions
		* @param {Function} [generateMask] The function used to generate the masking
		*     key
		*/
		constructor(socket, extensions, generateMask) {
			this._extensions = extensions || {};
			if (generateMask) {
				this._generateMask = generateMask;
				this._maskBuffer = Buffer.alloc(4);
			}
			this._socket = socket;
			this._firstFragment = true;
			this._compress = false;
			this._bufferedBytes = 0;
			this._queue = [];
			this._state = DEFAULT;
			this.onerror = NOOP;
			this[kWebSocket] = void 0;
		}
		/**
		* Frames a piece of data according to the HyBi WebSocket protocol.
		*
		* @param {(Buffer|String)} data The data to frame
		* @param {Object} options Options object
		* @param {Boolean} [options.fin=false] Specifies whether or not to set the
		*     FIN bit
		* @param {Function} [options.generateMask] The function used to generate the
		*     masking key
		* @param {Boolean} [options.mask=false] Specifies whether or not to mask
		*     `data`
		* @param {Buffer} [options.maskBuffer] The buffer used to store the masking
		*     key
		* @param {Number} options.opcode The opcode
		* @param {Boolean} [options.readOnly=false] Specifies whether `data` can be
		*     modified
		* @param {Boolean} [options.rsv1=false] Specifies whether or not to set the
		*     RSV1 bit
		* @return {(Buffer|String)[]} The framed data
		* @public
		*/
		static frame(data, options) {
			let mask;
			let merge = false;
			let offset = 2;
			let skipMasking = false;
			if (options.mask) {
				mask = options.maskBuffer || maskBuffer;
				if (options.generateMask) options.generateMask(mask);
				else {
					if (randomPoolPointer === RANDOM_POOL_SIZE) {
						/* istanbul ignore else  */
						if (randomPool === void 0) randomPool = Buffer.alloc(RANDOM_POOL_SIZE);
						randomFillSync(randomPool, 0, RANDOM_POOL_SIZE);
						randomPoolPointer = 0;
					}
					mask[0] = randomPool[randomPoolPointer++];
					mask[1] = randomPool[randomPoolPointer++];
					mask[2] = randomPool[randomPoolPointer++];
					mask[3] = randomPool[randomPoolPointer++];
				}
				skipMasking = (mask[0] | mask[1] | mask[2] | mask[3]) === 0;
				offset = 6;
			}
			let dataLength;
			if (typeof data === "string") {
				if ((!options.mask || skipMasking) && options[kByteLength] !== void 0) dataLength = options[kByteLength];
				else {
					data = Buffer.from(data);
					dataLength = data.length;
				}
			} else {
				dataLength = data.length;
				merge = options.mask && options.readOnly && !skipMasking;
			}
			let payloadLength = dataLength;
			if (dataLength >= 65536) {
				offset += 8;
				payloadLength = 127;
			} else if (dataLength > 125) {
				offset += 2;
				payloadLength = 126;
			}
			const target = Buffer.allocUnsafe(merge ? dataLength + offset : offset);
			target[0] = options.fin ? options.opcode | 128 : options.opcode;
			if (options.rsv1) target[0] |= 64;
			target[1] = payloadLength;
			if (payloadLength === 126) target.writeUInt16BE(dataLength, 2);
			else if (payloadLength === 127) {
				target[2] = target[3] = 0;
				target.writeUIntBE(dataLength, 4, 6);
			}
			if (!options.mask) return dataLength ? [target, data] : [target];
			target[1] |= 128;
			target[offset - 4] = mask[0];
			target[offset - 3] = mask[1];
			target[offset - 2] = mask[2];
			target[offset - 1] = mask[3];
			if (!dataLength) return [target];
			if (skipMasking) return [target, data];
			if (merge) {
				applyMask(data, mask, target, offset, dataLength);
				return [target];
			}
			applyMask(data, mask, data, 0, dataLength);
			return [target, data];
		}
		/**
		* Sends a close message to the other peer.
		*
		* @param {Number} [code] The status code component of the body
		* @param {(String|Buffer)} [data] The message component of the body
		* @param {Boolean} [mask=false] Specifies whether or not to mask the message
		* @param {Function} [cb] Callback
		* @public
		*/
		close(code, data, mask, cb) {
			let buf;
			if (code === void 0) buf = EMPTY_BUFFER;
			else if (typeof code !== "number" || !isValidStatusCode(code)) throw new TypeError("First argument must be a valid error code number");
			else if (data === void 0 || !data.length) {
				buf = Buffer.allocUnsafe(2);
				buf.writeUInt16BE(code, 0);
			} else {
				const length = Buffer.byteLength(data);
				if (length > 123) throw new RangeError("The message must not be greater than 123 bytes");
				buf = Buffer.allocUnsafe(2 + length);
				buf.writeUInt16BE(code, 0);
				if (typeof data === "string") buf.write(data, 2);
				else if (isUint8Array(data)) buf.set(data, 2);
				else throw new TypeError("Second argument must be a string or a Uint8Array");
			}
			const options = {
				[kByteLength]: buf.length,
				fin: true,
				generateMask: this._generateMask,
				mask,
				maskBuffer: this._maskBuffer,
				opcode: 8,
				readOnly: false,
				rsv1: false
			};
			if (this._state !== DEFAULT) this.enqueue([
				this.dispatch,
				buf,
				false,
				options,
				cb
			]);
			else this.sendFrame(Sender.frame(buf, options), cb);
		}
		/**
		* Sends a ping message to the other peer.
		*
		* @param {*} data The message to send
		* @param {Boolean} [mask=false] Specifies whether or not to mask `data`
		* @param {Function} [cb] Callback
		* @public
		*/
		ping(data, mask, cb) {
			let byteLength;
			let readOnly;
			if (typeof data === "string") {
				byteLength = Buffer.byteLength(data);
				readOnly = false;
			} else if (isBlob(data)) {
				byteLength = data.size;
				readOnly = false;
			} else {
				data = toBuffer(data);
				byteLength = data.length;
				readOnly = toBuffer.readOnly;
			}
			if (byteLength > 125) throw new RangeError("The data size must not be greater than 125 bytes");
			const options = {
				[kByteLength]: byteLength,
				fin: true,
				generateMask: this._generateMask,
				mask,
				maskBuffer: this._maskBuffer,
				opcode: 9,
				readOnly,
				rsv1: false
			};
			if (isBlob(data)) {
				if (this._state !== DEFAULT) this.enqueue([
					this.getBlobData,
					data,
					false,
					options,
					cb
				]);
				else this.getBlobData(data, false, options, cb);
			} else if (this._state !== DEFAULT) this.enqueue([
				this.dispatch,
				data,
				false,
				options,
				cb
			]);
			else this.sendFrame(Sender.frame(data, options), cb);
		}
		/**
		* Sends a pong message to the other peer.
		*
		* @param {*} data The message to send
		* @param {Boolean} [mask=false] Specifies whether or not to mask `data`
		* @param {Function} [cb] Callback
		* @public
		*/
		pong(data, mask, cb) {
			let byteLength;
			let readOnly;
			if (typeof data === "string") {
				byteLength = Buffer.byteLength(data);
				readOnly = false;
			} else if (isBlob(data)) {
				byteLength = data.size;
				readOnly = false;
			} else {
				data = toBuffer(data);
				byteLength = data.length;
				readOnly = toBuffer.readOnly;
			}
			if (byteLength > 125) throw new RangeError("The data size must not be greater than 125 bytes");
			const options = {
				[kByteLength]: byteLength,
				fin: true,
				generateMask: this._generateMask,
				mask,
				maskBuffer: this._maskBuffer,
				opcode: 10,
				readOnly,
				rsv1: false
			};
			if (isBlob(data)) {
				if (this._state !== DEFAULT) this.enqueue([
					this.getBlobData,
					data,
					false,
					options,
					cb
				]);
				else this.getBlobData(data, false, options, cb);
			} else if (this._state !== DEFAULT) this.enqueue([
				this.dispatch,
				data,
				false,
				options,
				cb
			]);
			else this.sendFrame(Sender.frame(data, options), cb);
		}
		/**
		* Sends a data message to the other peer.
		*
		* @param {*} data The message to send
		* @param {Object} options Options object
		* @param {Boolean} [options.binary=false] Specifies whether `data` is binary
		*     or text
		* @param {Boolean} [options.compress=false] Specifies whether or not to
		*     compress `data`
		* @param {Boolean} [options.fin=false] Specifies whether the fragment is the
		*     last one
		* @param {Boolean} [options.mask=false] Specifies whether or not to mask
		*     `data`
		* @param {Function} [cb] Callback
		* @public
		*/
		send(data, options, cb) {
			const perMessageDeflate = this._extensions[PerMessageDeflate.extensionName];
			let opcode = options.binary ? 2 : 1;
			let rsv1 = options.compress;
			let byteLength;
			let readOnly;
			if (typeof data === "string") {
				byteLength = Buffer.byteLength(data);
				readOnly = false;
			} else if (isBlob(data)) {
				byteLength = data.size;
				readOnly = false;
			} else {
				data = toBuffer(data);
				byteLength = data.length;
				readOnly = toBuffer.readOnly;
			}
			if (this._firstFragment) {
				this._firstFragment = false;
				if (rsv1 && perMessageDeflate && perMessageDeflate.params[perMessageDeflate._isServer ? "server_no_context_takeover" : "client_no_context_takeover"]) rsv1 = byteLength >= perMessageDeflate._threshold;
				this._compress = rsv1;
			} else {
				rsv1 = false;
				opcode = 0;
			}
			if (options.fin) this._firstFragment = true;
			const opts = {
				[kByteLength]: byteLength,
				fin: options.fin,
				generateMask: this._generateMask,
				mask: options.mask,
				maskBuffer: this._maskBuffer,
				opcode,
				readOnly,
				rsv1
			};
			if (isBlob(data)) {
				if (this._state !== DEFAULT) this.enqueue([
					this.getBlobData,
					data,
					this._compress,
					opts,
					cb
				]);
				else this.getBlobData(data, this._compress, opts, cb);
			} else if (this._state !== DEFAULT) this.enqueue([
				this.dispatch,
				data,
				this._compress,
				opts,
				cb
			]);
			else this.dispatch(data, this._compress, opts, cb);
		}
		/**
		* Gets the contents of a blob as binary data.
		*
		* @param {Blob} blob The blob
		* @param {Boolean} [compress=false] Specifies whether or not to compress
		*     the data
		* @param {Object} options Options object
		* @param {Boolean} [options.fin=false] Specifies whether or not to set the
		*     FIN bit
		* @param {Function} [options.generateMask] The function used to generate the
		*     masking key
		* @param {Boolean} [options.mask=false] Specifies whether or not to mask
		*     `data`
		* @param {Buffer} [options.maskBuffer] The buffer used to store the masking
		*     key
		* @param {Number} options.opcode The opcode
		* @param {Boolean} [options.readOnly=false] Specifies whether `data` can be
		*     modified
		* @param {Boolean} [options.rsv1=false] Specifies whether or not to set the
		*     RSV1 bit
		* @param {Function} [cb] Callback
		* @private
		*/
		getBlobData(blob, compress, options, cb) {
			this._bufferedBytes += options[kByteLength];
			this._state = GET_BLOB_DATA;
			blob.arrayBuffer().then((arrayBuffer) => {
				if (this._socket.destroyed) {
					const err = /* @__PURE__ */ new Error("The socket was closed while the blob was being read");
					process.nextTick(callCallbacks, this, err, cb);
					return;
				}
				this._bufferedBytes -= options[kByteLength];
				const data = toBuffer(arrayBuffer);
				if (!compress) {
					this._state = DEFAULT;
					this.sendFrame(Sender.frame(data, options), cb);
					this.dequeue();
				} else this.dispatch(data, compress, options, cb);
			}).catch((err) => {
				process.nextTick(onError, this, err, cb);
			});
		}
		/**
		* Dispatches a message.
		*
		* @param {(Buffer|String)} data The message to send
		* @param {Boolean} [compress=false] Specifies whether or not to compress
		*     `data`
		* @param {Object} options Options object
		* @param {Boolean} [options.fin=false] Specifies whether or not to set the
		*     FIN bit
		* @param {Function} [options.generateMask] The function used to generate the
		*     masking key
		* @param {Boolean} [options.mask=false] Specifies whether or not to mask
		*     `data`
		* @param {Buffer} [options.maskBuffer] The buffer used to store the masking
		*     key
		* @param {Number} options.opcode The opcode
		* @param {Boolean} [options.readOnly=false] Specifies whether `data` can be
		*     modified
		* @param {Boolean} [options.rsv1=false] Specifies whether or not to set the
		*     RSV1 bit
		* @param {Function} [cb] Callback
		* @private
		*/
		dispatch(data, compress, options, cb) {
			if (!compress) {
				this.sendFrame(Sender.frame(data, options), cb);
				return;
			}
			const perMessageDeflate = this._extensions[PerMessageDeflate.extensionName];
			this._bufferedBytes += options[kByteLength];
			this._state = DEFLATING;
			perMessageDeflate.compress(data, options.fin, (_, buf) => {
				if (this._socket.destroyed) {
					const err = /* @__PURE__ */ new Error("The socket was closed while data was being compressed");
					callCallbacks(this, err, cb);
					return;
				}
				this._bufferedBytes -= options[kByteLength];
				this._state = DEFAULT;
				options.readOnly = false;
				this.sendFrame(Sender.frame(buf, options), cb);
				this.dequeue();
			});
		}
		/**
		* Executes queued send operations.
		*
		* @private
		*/
		dequeue() {
			while (this._state === DEFAULT && this._queue.length) {
				const params = this._queue.shift();
				this._bufferedBytes -= params[3][kByteLength];
				Reflect.apply(params[0], this, params.slice(1));
			}
		}
		/**
		* Enqueues a send operation.
		*
		* @param {Array} params Send operation parameters.
		* @private
		*/
		enqueue(params) {
			this._bufferedBytes += params[3][kByteLength];
			this._queue.push(params);
		}
		/**
		* Sends a frame.
		*
		* @param {(Buffer | String)[]} list The frame to send
		* @param {Function} [cb] Callback
		* @private
		*/
		sendFrame(list, cb) {
			if (list.length === 2) {
				this._socket.cork();
				this._socket.write(list[0]);
				this._socket.write(list[1], cb);
				this._socket.uncork();
			} else this._socket.write(list[0], cb);
		}
	};
	/**
	* Calls queued callbacks with an error.
	*
	* @param {Sender} sender The `Sender` instance
	* @param {Error} err The error to call the callbacks with
	* @param {Function} [cb] The first callback
	* @private
	*/
	function callCallbacks(sender, err, cb) {
		if (typeof cb === "function") cb(err);
		for (let i = 0; i < sender._queue.length; i++) {
			const params = sender._queue[i];
			const callback = params[params.length - 1];
			if (typeof callback === "function") callback(err);
		}
	}
	/**
	* Handles a `Sender` error.
	*
	* @param {Sender} sender The `Sender` instance
	* @param {Error} err The error
	* @param {Function} [cb] The first pending callback
	* @private
	*/
	function onError(sender, err, cb) {
		callCallbacks(sender, err, cb);
		sender.onerror(err);
	}
}));
// ../../node_modules/.pnpm/ws@8.23.0/node_modules/ws/lib/event-target.js
var require_event_target = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var { kForOnEventAttribute, kListener } = require_constants();
	var kCode = Symbol("kCode");
	var kData = Symbol("kData");
	var kError = Symbol("kError");
	var kMessage = Symbol("kMessage");
	var kReason = Symbol("kReason");
	var kTarget = Symbol("kTarget");
	var kType = Symbol("kType");
	var kWasClean = Symbol("kWasClean");
	/**
	* Class representing an event.
	*/
	var Event = class {
		/**
		* Create a new `Event`.
		*
		* @param {String} type The name of the event
		* @throws {TypeError} If the `type` argument is not specified
		*/
		constructor(type) {
			this[kTarget] = null;
			this[kType] = type;
		}
		/**
		* @type {*}
		*/
		get target() {
			return this[kTarget];
		}
		/**
		* @type {String}
		*/
		get type() {
			return this[kType];
		}
	};
	Object.defineProperty(Event.prototype, "target", { enumerable: true });
	Object.defineProperty(Event.prototype, "type", { enumerable: true });
	/**
	* Class representing a close event.
	*
	* @extends Event
	*/
	var CloseEvent = class extends Event {
		/**
		* Create a new `CloseEvent`.
		*
		* @param {String} type The name of the event
		* @param {Object} [options] A dictionary object that allows for setting
		*     attributes via object members of the same name
		* @param {Number} [options.code=0] The status code explaining why the
		*     connection was closed
		* @param {String} [options.reason=''] A human-readable string explaining why
		*     the connection was closed
		* @param {Boolean} [options.wasClean=false] Indicates whether or not the
		*     connection was cleanly closed
		*/
		constructor(type, options = {}) {
			super(type);
			this[kCode] = options.code === void 0 ? 0 : options.code;
			this[kReason] = options.reason === void 0 ? "" : options.reason;
			this[kWasClean] = options.wasClean === void 0 ? false : options.wasClean;
		}
		/**
		* @type {Number}
		*/
		get code() {
			return this[kCode];
		}
		/**
		* @type {String}
		*/
		get reason() {
			return this[kReason];
		}
		/**
		* @type {Boolean}
		*/
		get wasClean() {
			return this[kWasClean];
		}
	};
	Object.defineProperty(CloseEvent.prototype, "code", { enumerable: true });
	Object.defineProperty(CloseEvent.prototype, "reason", { enumerable: true });
	Object.defineProperty(CloseEvent.prototype, "wasClean", { enumerable: true });
	/**
	* Class representing an error event.
	*
	* @extends Event
	*/
	var ErrorEvent = class extends Event {
		/**
		* Create a new `ErrorEvent`.
		*
		* @param {String} type The name of the event
		* @param {Object} [options] A dictionary object that allows for setting
		*     attributes via object members of the same name
		* @param {*} [options.error=null] The error that generated this event
		* @param {String} [options.message=''] The error message
		*/
		constructor(type, options = {}) {
			super(type);
			this[kError] = options.error === void 0 ? null : options.error;
			this[kMessage] = options.message === void 0 ? "" : options.message;
		}
		/**
		* @type {*}
		*/
		get error() {
			return this[kError];
		}
		/**
		* @type {String}
		*/
		get message() {
			return this[kMessage];
		}
	};
	Object.defineProperty(ErrorEvent.prototype, "error", { enumerable: true });
	Object.defineProperty(ErrorEvent.prototype, "message", { enumerable: true });
	/**
	* Class representing a message event.
	*
	* @extends Event
	*/
	var MessageEvent = class extends Event {
		/**
		* Create a new `MessageEvent`.
		*
		* @param {String} type The name of the event
		* @param {Object} [options] A dictionary object that allows for setting
		*     attributes via object members of the same name
		* @param {*} [options.data=null] The message content
		*/
		constructor(type, options = {}) {
			super(type);
			this[kData] = options.data === void 0 ? null : options.data;
		}
		/**
		* @type {*}
		*/
		get data() {
			return this[kData];
		}
	};
	Object.defineProperty(MessageEvent.prototype, "data", { enumerable: true });
	module.exports = {
		CloseEvent,
		ErrorEvent,
		Event,
		EventTarget: {
			/**
			* Register an event listener.
			*
			* @param {String} type A string representing the event type to listen for
			* @param {(Function|Object)} handler The listener to add
			* @param {Object} [options] An options object specifies characteristics about
			*     the event listener
			* @param {Boolean} [options.once=false] A `Boolean` indicating that the
			*     listener should be invoked at most once after being added. If `true`,
			*     the listener would be automatically removed when invoked.
			* @public
			*/
			addEventListener(type, handler, options = {}) {
				for (const listener of this.listeners(type)) if (!options[kForOnEventAttribute] && listener[kListener] === handler && !listener[kForOnEventAttribute]) return;
				let wrapper;
				if (type === "message") wrapper = function onMessage(data, isBinary) {
					const event = new MessageEvent("message", { data: isBinary ? data : data.toString() });
					event[kTarget] = this;
					callListener(handler, this, event);
				};
				else if (type === "close") wrapper = function onClose(code, message) {
					const event = new CloseEvent("close", {
						code,
						reason: message.toString(),
						wasClean: this._closeFrameReceived && this._closeFrameSent
					});
					event[kTarget] = this;
					callListener(handler, this, event);
				};
				else if (type === "error") wrapper = function onError(error) {
					const event = new ErrorEvent("error", {
						error,
						message: error.message
					});
					event[kTarget] = this;
					callListener(handler, this, event);
				};
				else if (type === "open") wrapper = function onOpen() {
					const event = new Event("open");
					event[kTarget] = this;
					callListener(handler, this, event);
				};
				else return;
				wrapper[kForOnEventAttribute] = !!options[kForOnEventAttribute];
				wrapper[kListener] = handler;
				if (options.once) this.once(type, wrapper);
				else this.on(type, wrapper);
			},
			/**
			* Remove an event listener.
			*
			* @param {String} type A string representing the event type to remove
			* @param {(Function|Object)} handler The listener to remove
			* @public
			*/
			removeEventListener(type, handler) {
				for (const listener of this.listeners(type)) if (listener[kListener] === handler && !listener[kForOnEventAttribute]) {
					this.removeListener(type, listener);
					break;
				}
			}
		},
		MessageEvent
	};
	/**
	* Call an event listener
	*
	* @param {(Function|Object)} listener The listener to call
	* @param {*} thisArg The value to use as `this`` when calling the listener
	* @param {Event} event The event to pass to the listener
	* @private
	*/
	function callListener(listener, thisArg, event) {
		if (typeof listener === "object" && listener.handleEvent) listener.handleEvent.call(listener, event);
		else listener.call(thisArg, event);
	}
}));
// ../../node_modules/.pnpm/ws@8.23.0/node_modules/ws/lib/extension.js
var require_extension = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var { tokenChars } = require_validation();
	/**
	* Adds an offer to the map of extension offers or a parameter to the map of
	* parameters.
	*
	* @param {Object} dest The map of extension offers or parameters
	* @param {String} name The extension or parameter name
	* @param {(Object|Boolean|String)} elem The extension parameters or the
	*     parameter value
	* @private
	*/
	function push(dest, name, elem) {
		if (dest[name] === void 0) dest[name] = [elem];
		else dest[name].push(elem);
	}
	/**
	* Parses the `Sec-WebSocket-Extensions` header into an object.
	*
	* @param {String} header The field value of the header
	* @return {Object} The parsed object
	* @public
	*/
	function parse(header) {
		const offers = Object.create(null);
		let params = Object.create(null);
		let mustUnescape = false;
		let isEscaping = false;
		let inQuotes = false;
		let extensionName;
		let paramName;
		let start = -1;
		let code = -1;
		let end = -1;
		let i = 0;
		for (; i < header.length; i++) {
			code = header.charCodeAt(i);
			if (extensionName === void 0) {
				if (end === -1 && tokenChars[code] === 1) {
					if (start === -1) start = i;
				} else if (i !== 0 && (code === 32 || code === 9)) {
					if (end === -1 && start !== -1) end = i;
				} else if (code === 59 || code === 44) {
					if (start === -1) throw new SyntaxError(`Unexpected character at index ${i}`);
					if (end === -1) end = i;
					const name = header.slice(start, end);
					if (code === 44) {
						push(offers, name, params);
						params = Object.create(null);
					} else extensionName = name;
					start = end = -1;
				} else throw new SyntaxError(`Unexpected character at index ${i}`);
			} else if (paramName === void 0) {
				if (end === -1 && tokenChars[code] === 1) {
					if (start === -1) start = i;
				} else if (code === 32 || code === 9) {
					if (end === -1 && start !== -1) end = i;
				} else if (code === 59 || code === 44) {
					if (start === -1) throw new SyntaxError(`Unexpected character at index ${i}`);
					if (end === -1) end = i;
					push(params, header.slice(start, end), true);
					if (code === 44) {
						push(offers, extensionName, params);
						params = Object.create(null);
						extensionName = void 0;
					}
					start = end = -1;
				} else if (code === 61 && start !== -1 && end === -1) {
					paramName = header.slice(start, i);
					start = end = -1;
				} else throw new SyntaxError(`Unexpected character at index ${i}`);
			} else if (isEscaping) {
				if (tokenChars[code] !== 1) throw new SyntaxError(`Unexpected character at index ${i}`);
				if (start === -1) start = i;
				else if (!mustUnescape) mustUnescape = true;
				isEscaping = false;
			} else if (inQuotes) {
				if (tokenChars[code] === 1) {
					if (start === -1) start = i;
				} else if (code === 34 && start !== -1) {
					inQuotes = false;
					end = i;
				} else if (code === 92) isEscaping = true;
				else throw new SyntaxError(`Unexpected character at index ${i}`);
			} else if (code === 34 && header.charCodeAt(i - 1) === 61) inQuotes = true;
			else if (end === -1 && tokenChars[code] === 1) {
				if (start === -1) start = i;
			} else if (start !== -1 && (code === 32 || code === 9)) {
				if (end === -1) end = i;
			} else if (code === 59 || code === 44) {
				if (start === -1) throw new SyntaxError(`Unexpected character at index ${i}`);
				if (end === -1) end = i;
				let value = header.slice(start, end);
				if (mustUnescape) {
					value = value.replace(/\\/g, "");
					mustUnescape = false;
				}
				push(params, paramName, value);
				if (code === 44) {
					push(offers, extensionName, params);
					params = Object.create(null);
					extensionName = void 0;
				}
				paramName = void 0;
				start = end = -1;
			} else throw new SyntaxError(`Unexpected character at index ${i}`);
		}
		if (start === -1 || inQuotes || code === 32 || code === 9) throw new SyntaxError("Unexpected end of input");
		if (end === -1) end = i;
		const token = header.slice(start, end);
		if (extensionName === void 0) push(offers, token, params);
		else {
			if (paramName === void 0) push(params, token, true);
			else if (mustUnescape) push(params, paramName, token.replace(/\\/g, ""));
			else push(params, paramName, token);
			push(offers, extensionName, params);
		}
		return offers;
	}
	/**
	* Builds the `Sec-WebSocket-Extensions` header field value.
	*
	* @param {Object} extensions The map of extensions and parameters to format
	* @return {String} A string representing the given object
	* @public
	*/
	function format(extensions) {
		return Object.keys(extensions).map((extension) => {
			let configurations = extensions[extension];
			if (!Array.isArray(configurations)) configurations = [configurations];
			return configurations.map((params) => {
				return [extension].concat(Object.keys(params).map((k) => {
					let values = params[k];
					if (!Array.isArray(values)) values = [values];
					return values.map((v) => v === true ? k : `${k}=${v}`).join("; ");
				})).join("; ");
			}).join(", ");
		}).join(", ");
	}
	module.exports = {
		format,
		parse
	};
}));
// ../../node_modules/.pnpm/ws@8.23.0/node_modules/ws/lib/websocket.js
var require_websocket = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var EventEmitter = __require("events");
	var https = __require("https");
	var http = __require("http");
	var net = __require("net");
	var querystring = __require("querystring");
	var tls = __require("tls");
	var { randomBytes, createHash } = __require("crypto");
	var { Duplex, Readable } = __require("stream");
	var { URL } = __require("url");
	var PerMessageDeflate = require_permessage_deflate();
	var Receiver = require_receiver();
	var Sender = require_sender();
	var { isBlob } = require_validation();
	var { BINARY_TYPES, CLOSE_TIMEOUT, EMPTY_BUFFER, GUID, kForOnEventAttribute, kListener, kStatusCode, kWebSocket, NOOP } = require_constants();
	var { EventTarget: { addEventListener, removeEventListener } } = require_event_target();
	var { format, parse } = require_extension();
	var { toBuffer } = require_buffer_util();
	var kAborted = Symbol("kAborted");
	var protocolVersions = [8, 13];
	var readyStates = [
		"CONNECTING",
		"OPEN",
		"CLOSING",
		"CLOSED"
	];
	var subprotocolRegex = /^[!#$%&'*+\-.0-9A-Z^_`|a-z~]+$/;
	/**
	* Class representing a WebSocket.
	*
	* @extends EventEmitter
	*/
	var WebSocket = class WebSocket extends EventEmitter {
		/**
		* Create a new `WebSocket`.
		*
		* @param {(String|URL)} address The URL to which to connect
		* @param {(String|String[])} [protocols] The subprotocols
		* @param {Object} [options] Connection options
		*/
		constructor(address, protocols, options) {
			super();
			this._binaryType = BINARY_TYPES[0];
			this._closeCode = 1006;
			this._closeFrameReceived = false;
			this._closeFrameSent = false;
			this._closeMessage = EMPTY_BUFFER;
			this._closeTimer = null;
			this._errorEmitted = false;
			this._extensions = {};
			this._paused = false;
			this._protocol = "";
			this._readyState = WebSocket.CONNECTING;
			this._receiver = null;
			this._sender = null;
			this._socket = null;
			if (address !== null) {
				this._bufferedAmount = 0;
				this._isServer = false;
				this._redirects = 0;
				if (protocols === void 0) {
					if (!options || options.protocols === void 0) protocols = [];
					else if (Array.isArray(options.protocols)) protocols = options.protocols;
					else protocols = [options.protocols];
				} else if (!Array.isArray(protocols)) {
					if (typeof protocols === "object" && protocols !== null) {
						options = protocols;
						if (options.protocols === void 0) protocols = [];
						else if (Array.isArray(options.protocols)) protocols = options.protocols;
						else protocols = [options.protocols];
					} else protocols = [protocols];
				}
				options = initAsClient(this, address, protocols, options);
			} else this._isServer = true;
			if (options.autoPong) {
				this._autoPong = true;
				this._autoPongComplete = () => autoPongComplete(this);
				this._pendingAutoPongs = 0;
				this._maxPendingAutoPongs = options.maxPendingAutoPongs | 0;
			}
			this._closeTimeout = options.closeTimeout;
		}
		/**
		* For historical reasons, the custom "nodebuffer" type is used by the default
		* instead of "blob".
		*
		* @type {String}
		*/
		get binaryType() {
			return this._binaryType;
		}
		set binaryType(type) {
			if (!BINARY_TYPES.includes(type)) return;
			this._binaryType = type;
			if (this._receiver) this._receiver._binaryType = type;
		}
		/**
		* @type {Number}
		*/
		get bufferedAmount() {
			if (!this._socket) return this._bufferedAmount;
			return this._socket._writableState.length + this._sender._bufferedBytes;
		}
		/**
		* @type {String}
		*/
		get extensions() {
			return Object.keys(this._extensions).join();
		}
		/**
		* @type {Boolean}
		*/
		get isPaused() {
			return this._paused;
		}
		/**
		* @type {Function}
		*/
		/* istanbul ignore next */
		get onclose() {
			return null;
		}
		/**
		* @type {Function}
		*/
		/* istanbul ignore next */
		get onerror() {
			return null;
		}
		/**
		* @type {Function}
		*/
		/* istanbul ignore next */
		get onopen() {
			return null;
		}
		/**
		* @type {Function}
		*/
		/* istanbul ignore next */
		get onmessage() {
			return null;
		}
		/**
		* @type {String}
		*/
		get protocol() {
			return this._protocol;
		}
		/**
		* @type {Number}
		*/
		get readyState() {
			return this._readyState;
		}
		/**
		* @type {String}
		*/
		get url() {
			return this._url;
		}
		/**
		* Set up the socket and the internal resources.
		*
		* @param {Duplex} socket The network socket between the server and client
		* @param {Buffer} head The first packet of the upgraded stream
		* @param {Object} options Options object
		* @param {Boolean} [options.allowSynchronousEvents=false] Specifies whether
		*     any of the `'message'`, `'ping'`, and `'pong'` events can be emitted
		*     multiple times in the same tick
		* @param {Function} [options.generateMask] The function used to generate the
		*     masking key
		* @param {Number} [options.maxBufferedChunks=0] The maximum number of
		*     buffered data chunks
		* @param {Number} [options.maxFragments=0] The maximum number of message
		*     fragments
		* @param {Number} [options.maxPayload=0] The maximum allowed message size
		* @param {Boolean} [options.skipUTF8Validation=false] Specifies whether or
		*     not to skip UTF-8 validation for text and close messages
		* @private
		*/
		setSocket(socket, head, options) {
			const receiver = new Receiver({
				allowSynchronousEvents: options.allowSynchronousEvents,
				binaryType: this.binaryType,
				extensions: this._extensions,
				isServer: this._isServer,
				maxBufferedChunks: options.maxBufferedChunks,
				maxFragments: options.maxFragments,
				maxPayload: options.maxPayload,
				skipUTF8Validation: options.skipUTF8Validation
			});
			const sender = new Sender(socket, this._extensions, options.generateMask);
			this._receiver = receiver;
			this._sender = sender;
			this._socket = socket;
			receiver[kWebSocket] = this;
			sender[kWebSocket] = this;
			socket[kWebSocket] = this;
			receiver.on("conclude", receiverOnConclude);
			receiver.on("drain", receiverOnDrain);
			receiver.on("error", receiverOnError);
			receiver.on("message", receiverOnMessage);
			receiver.on("ping", receiverOnPing);
			receiver.on("pong", receiverOnPong);
			sender.onerror = senderOnError;
			if (socket.setTimeout) socket.setTimeout(0);
			if (socket.setNoDelay) socket.setNoDelay();
			if (head.length > 0) socket.unshift(head);
			socket.on("close", socketOnClose);
			socket.on("data", socketOnData);
			socket.on("end", socketOnEnd);
			socket.on("error", socketOnError);
			this._readyState = WebSocket.OPEN;
			this.emit("open");
		}
		/**
		* Emit the `'close'` event.
		*
		* @private
		*/
		emitClose() {
			if (!this._socket) {
				this._readyState = WebSocket.CLOSED;
				this.emit("close", this._closeCode, this._closeMessage);
				return;
			}
			if (this._extensions[PerMessageDeflate.extensionName]) this._extensions[PerMessageDeflate.extensionName].cleanup();
			this._receiver.removeAllListeners();
			this._readyState = WebSocket.CLOSED;
			this.emit("close", this._closeCode, this._closeMessage);
		}
		/**
		* Start a closing handshake.
		*
		*          +----------+   +-----------+   +----------+
		*     - - -|ws.close()|-->|close frame|-->|ws.close()|- - -
		*    |     +----------+   +-----------+   +----------+     |
		*          +----------+   +-----------+         |
		* CLOSING  |ws.close()|<--|close frame|<--+-----+       CLOSING
		*          +----------+   +-----------+   |
		*    |           |                        |   +---+        |
		*                +------------------------+-->|fin| - - - -
		*    |         +---+                      |   +---+
		*     - - - - -|fin|<---------------------+
		*              +---+
		*
		* @param {Number} [code] Status code explaining why the connection is closing
		* @param {(String|Buffer)} [data] The reason why the connection is
		*     closing
		* @public
		*/
		close(code, data) {
			if (this.readyState === WebSocket.CLOSED) return;
			if (this.readyState === WebSocket.CONNECTING) {
				abortHandshake(this, this._req, "WebSocket was closed before the connection was established");
				return;
			}
			if (this.readyState === WebSocket.CLOSING) {
				if (this._closeFrameSent && (this._closeFrameReceived || this._receiver._writableState.errorEmitted)) this._socket.end();
				return;
			}
			this._sender.close(code, data, !this._isServer, (err) => {
				if (err) return;
				this._closeFrameSent = true;
				if (this._closeFrameReceived || this._receiver._writableState.errorEmitted) this._socket.end();
			});
			this._readyState = WebSocket.CLOSING;
			setCloseTimer(this);
		}
		/**
		* Pause the socket.
		*
		* @public
		*/
		pause() {
			if (this.readyState === WebSocket.CONNECTING || this.readyState === WebSocket.CLOSED) return;
			this._paused = true;
			this._socket.pause();
		}
		/**
		* Send a ping.
		*
		* @param {*} [data] The data to send
		* @param {Boolean} [mask] Indicates whether or not to mask `data`
		* @param {Function} [cb] Callback which is executed when the ping is sent
		* @public
		*/
		ping(data, mask, cb) {
			if (this.readyState === WebSocket.CONNECTING) throw new Error("WebSocket is not open: readyState 0 (CONNECTING)");
			if (typeof data === "function") {
				cb = data;
				data = mask = void 0;
			} else if (typeof mask === "function") {
				cb = mask;
				mask = void 0;
			}
			if (typeof data === "number") data = data.toString();
			if (this.readyState !== WebSocket.OPEN) {
				sendAfterClose(this, data, cb);
				return;
			}
			if (mask === void 0) mask = !this._isServer;
			this._sender.ping(data || EMPTY_BUFFER, mask, cb);
		}
		/**
		* Send a pong.
		*
		* @param {*} [data] The data to send
		* @param {Boolean} [mask] Indicates whether or not to mask `data`
		* @param {Function} [cb] Callback which is executed when the pong is sent
		* @public
		*/
		pong(data, mask, cb) {
			if (this.readyState === WebSocket.CONNECTING) throw new Error("WebSocket is not open: readyState 0 (CONNECTING)");
			if (typeof data === "function") {
				cb = data;
				data = mask = void 0;
			} else if (typeof mask === "function") {
				cb = mask;
				mask = void 0;
			}
			if (typeof data === "number") data = data.toString();
			if (this.readyState !== WebSocket.OPEN) {
				sendAfterClose(this, data, cb);
				return;
			}
			if (mask === void 0) mask = !this._isServer;
			this._sender.pong(data || EMPTY_BUFFER, mask, cb);
		}
		/**
		* Resume the socket.
		*
		* @public
		*/
		resume() {
			if (this.readyState === WebSocket.CONNECTING || this.readyState === WebSocket.CLOSED) return;
			this._paused = false;
			if (!this._receiver._writableState.needDrain) this._socket.resume();
		}
		/**
		* Send a data message.
		*
		* @param {*} data The message to send
		* @param {Object} [options] Options object
		* @param {Boolean} [options.binary] Specifies whether `data` is binary or
		*     text
		* @param {Boolean} [options.compress] Specifies whether or not to compress
		*     `data`
		* @param {Boolean} [options.fin=true] Specifies whether the fragment is the
		*     last one
		* @param {Boolean} [options.mask] Specifies whether or not to mask `data`
		* @param {Function} [cb] Callback which is executed when data is written out
		* @public
		*/
		send(data, options, cb) {
			if (this.readyState === WebSocket.CONNECTING) throw new Error("WebSocket is not open: readyState 0 (CONNECTING)");
			if (typeof options === "function") {
				cb = options;
				options = {};
			}
			if (typeof data === "number") data = data.toString();
			if (this.readyState !== WebSocket.OPEN) {
				sendAfterClose(this, data, cb);
				return;
			}
			const opts = {
				binary: typeof data !== "string",
				mask: !this._isServer,
				compress: true,
				fin: true,
				...options
			};
			if (!this._extensions[PerMessageDeflate.extensionName]) opts.compress = false;
			this._sender.send(data || EMPTY_BUFFER, opts, cb);
		}
		/**
		* Forcibly close the connection.
		*
		* @public
		*/
		terminate() {
			if (this.readyState === WebSocket.CLOSED) return;
			if (this.readyState === WebSocket.CONNECTING) {
				abortHandshake(this, this._req, "WebSocket was closed before the connection was established");
				return;
			}
			if (this._socket) {
				this._readyState = WebSocket.CLOSING;
				this._socket.destroy();
			}
		}
	};
	/**
	* @constant {Number} CONNECTING
	* @memberof WebSocket
	*/
	Object.defineProperty(WebSocket, "CONNECTING", {
		enumerable: true,
		value: readyStates.indexOf("CONNECTING")
	});
	/**
	* @constant {Number} CONNECTING
	* @memberof WebSocket.prototype
	*/
	Object.defineProperty(WebSocket.prototype, "CONNECTING", {
		enumerable: true,
		value: readyStates.indexOf("CONNECTING")
	});
	/**
	* @constant {Number} OPEN
	* @memberof WebSocket
	*/
	Object.defineProperty(WebSocket, "OPEN", {
		enumerable: true,
		value: readyStates.indexOf("OPEN")
	});
	/**
	* @constant {Number} OPEN
	* @memberof WebSocket.prototype
	*/
	Object.defineProperty(WebSocket.prototype, "OPEN", {
		enumerable: true,
		value: readyStates.indexOf("OPEN")
	});
	/**
	* @constant {Number} CLOSING
	* @memberof WebSocket
	*/
	Object.defineProperty(WebSocket, "CLOSING", {
		enumerable: true,
		value: readyStates.indexOf("CLOSING")
	});
	/**
	* @constant {Number} CLOSING
	* @memberof WebSocket.prototype
	*/
	Object.defineProperty(WebSocket.prototype, "CLOSING", {
		enumerable: true,
		value: readyStates.indexOf("CLOSING")
	});
	/**
	* @constant {Number} CLOSED
	* @memberof WebSocket
	*/
	Object.defineProperty(WebSocket, "CLOSED", {
		enumerable: true,
		value: readyStates.indexOf("CLOSED")
	});
	/**
	* @constant {Number} CLOSED
	* @memberof WebSocket.prototype
	*/
	Object.defineProperty(WebSocket.prototype, "CLOSED", {
		enumerable: true,
		value: readyStates.indexOf("CLOSED")
	});
	[
		"binaryType",
		"bufferedAmount",
		"extensions",
		"isPaused",
		"protocol",
		"readyState",
		"url"
	].forEach((property) => {
		Object.defineProperty(WebSocket.prototype, property, { enumerable: true });
	});
	[
		"open",
		"error",
		"close",
		"message"
	].forEach((method) => {
		Object.defineProperty(WebSocket.prototype, `on${method}`, {
			enumerable: true,
			get() {
				for (const listener of this.listeners(method)) if (listener[kForOnEventAttribute]) return listener[kListener];
				return null;
			},
			set(handler) {
				for (const listener of this.listeners(method)) if (listener[kForOnEventAttribute]) {
					this.removeListener(method, listener);
					break;
				}
				if (typeof handler !== "function") return;
				this.addEventListener(method, handler, { [kForOnEventAttribute]: true });
			}
		});
	});
	WebSocket.prototype.addEventListener = addEventListener;
	WebSocket.prototype.removeEventListener = removeEventListener;
	module.exports = WebSocket;
	/**
	* Initialize a WebSocket client.
	*
	* @param {WebSocket} websocket The client to initialize
	* @param {(String|URL)} address The URL to which to connect
	* @param {Array} protocols The subprotocols
	* @param {Object} [options] Connection options
	* @param {Boolean} [options.allowSynchronousEvents=true] Specifies whether any
	*     of the `'message'`, `'ping'`, and `'pong'` events can be emitted multiple
	*     times in the same tick
	* @param {Boolean} [options.autoPong=true] Specifies whether or not to
	*     automatically send a pong in response to a ping
	* @param {Number} [options.closeTimeout=30000] Duration in milliseconds to wait
	*     for the closing handshake to finish after `websocket.close()` is called
	* @param {Function} [options.finishRequest] A function which can be used to
	*     customize the headers of each http request before it is sent
	* @param {Boolean} [options.followRedirects=false] Whether or not to follow
	*     redirects
	* @param {Function} [options.generateMask] The function used to generate the
	*     masking key
	* @param {Number} [options.handshakeTimeout] Timeout in milliseconds for the
	*     handshake request
	* @param {Number} [options.maxBufferedChunks=262144] The maximum number of
	*     buffered data chunks
	* @param {Number} [options.maxFragments=16384] The maximum number of message
	*     fragments
	* @param {Number} [options.maxPayload=104857600] The maximum allowed message
	*     size
	* @param {Number} [options.maxPendingAutoPongs=60] The maximum number of
	*     pending automatic pongs
	* @param {Number} [options.maxRedirects=10] The maximum number of redirects
	*     allowed
	* @param {String} [options.origin] Value of the `Origin` or
	*     `Sec-WebSocket-Origin` header
	* @param {(Boolean|Object)} [options.perMessageDeflate=true] Enable/disable
	*     permessage-deflate
	* @param {Number} [options.protocolVersion=13] Value of the
	*     `Sec-WebSocket-Version` header
	* @param {Boolean} [options.skipUTF8Validation=false] Specifies whether or
	*     not to skip UTF-8 validation for text and close messages
	* @return {Object} The resolved options object used for initialization
	* @private
	*/
	function initAsClient(websocket, address, protocols, options) {
		const opts = {
			allowSynchronousEvents: true,
			autoPong: true,
			closeTimeout: CLOSE_TIMEOUT,
			protocolVersion: protocolVersions[1],
			maxBufferedChunks: 262144,
			maxFragments: 16384,
			maxPayload: 104857600,
			maxPendingAutoPongs: 60,
			skipUTF8Validation: false,
			perMessageDeflate: true,
			followRedirects: false,
			maxRedirects: 10,
			...options,
			socketPath: void 0,
			hostname: void 0,
			protocol: void 0,
			protocols: void 0,
			timeout: void 0,
			method: "GET",
			host: void 0,
			path: void 0,
			port: void 0
		};
		if (!protocolVersions.includes(opts.protocolVersion)) throw new RangeError(`Unsupported protocol version: ${opts.protocolVersion} (supported versions: ${protocolVersions.join(", ")})`);
		let parsedUrl;
		if (address instanceof URL) parsedUrl = address;
		else try {
			parsedUrl = new URL(address);
		} catch {
			throw new SyntaxError(`Invalid URL: ${address}`);
		}
		if (parsedUrl.protocol === "http:" || parsedUrl.protocol === "https:") {
			parsedUrl = new URL(parsedUrl);
			parsedUrl.protocol = parsedUrl.protocol === "http:" ? "ws:" : "wss:";
		}
		websocket._url = parsedUrl.href;
		const isSecure = parsedUrl.protocol === "wss:";
		const isIpcUrl = parsedUrl.protocol === "ws+unix:";
		let invalidUrlMessage;
		if (parsedUrl.protocol !== "ws:" && !isSecure && !isIpcUrl) invalidUrlMessage = "The URL's protocol must be one of \"ws:\", \"wss:\", \"http:\", \"https:\", or \"ws+unix:\"";
		else if (isIpcUrl && !parsedUrl.pathname) invalidUrlMessage = "The URL's pathname is empty";
		else if (parsedUrl.hash) invalidUrlMessage = "The URL contains a fragment identifier";
		if (invalidUrlMessage) {
			const err = new SyntaxError(invalidUrlMessage);
			if (websocket._redirects === 0) throw err;
			else {
				emitErrorAndClose(websocket, err);
				return;
			}
		}
		const defaultPort = isSecure ? 443 : 80;
		const key = randomBytes(16).toString("base64");
		const request = isSecure ? https.request : http.request;
		const protocolSet = /* @__PURE__ */ new Set();
		let perMessageDeflate;
		opts.createConnection = opts.createConnection || (isSecure ? tlsConnect : netConnect);
		opts.defaultPort = opts.defaultPort || defaultPort;
		opts.port = parsedUrl.port || defaultPort;
		opts.host = parsedUrl.hostname.startsWith("[") ? parsedUrl.hostname.slice(1, -1) : parsedUrl.hostname;
		opts.headers = {
			...opts.headers,
			"Sec-WebSocket-Version": opts.protocolVersion,
			"Sec-WebSocket-Key": key,
			Connection: "Upgrade",
			Upgrade: "websocket"
		};
		opts.path = parsedUrl.pathname + parsedUrl.search;
		opts.timeout = opts.handshakeTimeout;
		if (opts.perMessageDeflate) {
			perMessageDeflate = new PerMessageDeflate({
				...opts.perMessageDeflate,
				isServer: false,
				maxPayload: opts.maxPayload
			});
			opts.headers["Sec-WebSocket-Extensions"] = format({ [PerMessageDeflate.extensionName]: perMessageDeflate.offer() });
		}
		if (protocols.length) {
			for (const protocol of protocols) {
				if (typeof protocol !== "string" || !subprotocolRegex.test(protocol) || protocolSet.has(protocol)) throw new SyntaxError("An invalid or duplicated subprotocol was specified");
				protocolSet.add(protocol);
			}
			opts.headers["Sec-WebSocket-Protocol"] = protocols.join(",");
		}
		if (opts.origin) {
			if (opts.protocolVersion < 13) opts.headers["Sec-WebSocket-Origin"] = opts.origin;
			else opts.headers.Origin = opts.origin;
		}
		if (parsedUrl.username || parsedUrl.password) opts.auth = `${querystring.unescape(parsedUrl.username)}:${querystring.unescape(parsedUrl.password)}`;
		if (isIpcUrl) {
			const i = opts.path.indexOf(":");
			if (i === -1) {
				opts.socketPath = opts.path;
				opts.path = "";
			} else {
				opts.socketPath = opts.path.slice(0, i);
				opts.path = opts.path.slice(i + 1);
			}
		}
		let req;
		if (opts.followRedirects) {
			if (websocket._redirects === 0) {
				websocket._originalIpc = isIpcUrl;
				websocket._originalSecure = isSecure;
				websocket._originalHostOrSocketPath = isIpcUrl ? opts.socketPath : parsedUrl.host;
				const headers = options && options.headers;
				options = {
					...options,
					headers: {}
				};
				if (headers) for (const [key, value] of Object.entries(headers)) options.headers[key.toLowerCase()] = value;
			} else if (websocket.listenerCount("redirect") === 0) {
				const isSameHost = isIpcUrl ? websocket._originalIpc ? opts.socketPath === websocket._originalHostOrSocketPath : false : websocket._originalIpc ? false : parsedUrl.host === websocket._originalHostOrSocketPath;
				if (!isSameHost || websocket._originalSecure && !isSecure) {
					delete opts.headers.authorization;
					delete opts.headers.cookie;
					if (!isSameHost) delete opts.headers.host;
					opts.auth = void 0;
				}
			}
			if (opts.auth && !options.headers.authorization) options.headers.authorization = "Basic " + Buffer.from(opts.auth).toString("base64");
			req = websocket._req = request(opts);
			if (websocket._redirects) websocket.emit("redirect", websocket.url, req);
		} else req = websocket._req = request(opts);
		if (opts.timeout) req.on("timeout", () => {
			abortHandshake(websocket, req, "Opening handshake has timed out");
		});
		req.on("error", (err) => {
			if (req === null || req[kAborted]) return;
			req = websocket._req = null;
			emitErrorAndClose(websocket, err);
		});
		req.on("response", (res) => {
			const location = res.headers.location;
			const statusCode = res.statusCode;
			if (location && opts.followRedirects && statusCode >= 300 && statusCode < 400) {
				if (++websocket._redirects > opts.maxRedirects) {
					abortHandshake(websocket, req, "Maximum redirects exceeded");
					return;
				}
				req.abort();
				let addr;
				try {
					addr = new URL(location, address);
				} catch (e) {
					emitErrorAndClose(websocket, /* @__PURE__ */ new SyntaxError(`Invalid URL: ${location}`));
					return;
				}
				initAsClient(websocket, addr, protocols, options);
			} else if (!websocket.emit("unexpected-response", req, res)) abortHandshake(websocket, req, `Unexpected server response: ${res.statusCode}`);
		});
		req.on("upgrade", (res, socket, head) => {
			websocket.emit("upgrade", res);
			if (websocket.readyState !== WebSocket.CONNECTING) return;
			req = websocket._req = null;
			const upgrade = res.headers.upgrade;
			if (upgrade === void 0 || upgrade.toLowerCase() !== "websocket") {
				abortHandshake(websocket, socket, "Invalid Upgrade header");
				return;
			}
			const digest = createHash("sha1").update(key + GUID).digest("base64");
			if (res.headers["sec-websocket-accept"] !== digest) {
				abortHandshake(websocket, socket, "Invalid Sec-WebSocket-Accept header");
				return;
			}
			const serverProt = res.headers["sec-websocket-protocol"];
			let protError;
			if (serverProt !== void 0) {
				if (!protocolSet.size) protError = "Server sent a subprotocol but none was requested";
				else if (!protocolSet.has(serverProt)) protError = "Server sent an invalid subprotocol";
			} else if (protocolSet.size) protError = "Server sent no subprotocol";
			if (protError) {
				abortHandshake(websocket, socket, protError);
				return;
			}
			if (serverProt) websocket._protocol = serverProt;
			const secWebSocketExtensions = res.headers["sec-websocket-extensions"];
			if (secWebSocketExtensions !== void 0) {
				if (!perMessageDeflate) {
					abortHandshake(websocket, socket, "Server sent a Sec-WebSocket-Extensions header but no extension was requested");
					return;
				}
				let extensions;
				try {
					extensions = parse(secWebSocketExtensions);
				} catch (err) {
					abortHandshake(websocket, socket, "Invalid Sec-WebSocket-Extensions header");
					return;
				}
				const extensionNames = Object.keys(extensions);
				if (extensionNames.length !== 1 || extensionNames[0] !== PerMessageDeflate.extensionName) {
					abortHandshake(websocket, socket, "Server indicated an extension that was not requested");
					return;
				}
				try {
					perMessageDeflate.accept(extensions[PerMessageDeflate.extensionName]);
				} catch (err) {
					abortHandshake(websocket, socket, "Invalid Sec-WebSocket-Extensions header");
					return;
				}
				websocket._extensions[PerMessageDeflate.extensionName] = perMessageDeflate;
			}
			websocket.setSocket(socket, head, {
				allowSynchronousEvents: opts.allowSynchronousEvents,
				generateMask: opts.generateMask,
				maxBufferedChunks: opts.maxBufferedChunks,
				maxFragments: opts.maxFragments,
				maxPayload: opts.maxPayload,
				skipUTF8Validation: opts.skipUTF8Validation
			});
		});
		if (opts.finishRequest) opts.finishRequest(req, websocket);
		else req.end();
		return opts;
	}
	/**
	* Emit the `'error'` and `'close'` events.
	*
	* @param {WebSocket} websocket The WebSocket instance
	* @param {Error} The error to emit
	* @private
	*/
	function emitErrorAndClose(websocket, err) {
		websocket._readyState = WebSocket.CLOSING;
		websocket._errorEmitted = true;
		websocket.emit("error", err);
		websocket.emitClose();
	}
	/**
	* Create a `net.Socket` and initiate a connection.
	*
	* @param {Object} options Connection options
	* @return {net.Socket} The newly created socket used to start the connection
	* @private
	*/
	function netConnect(options) {
		options.path = options.socketPath;
		return net.connect(options);
	}
	/**
	* Create a `tls.TLSSocket` and initiate a connection.
	*
	* @param {Object} options Connection options
	* @return {tls.TLSSocket} The newly created socket used to start the connection
	* @private
	*/
	function tlsConnect(options) {
		options.path = void 0;
		if (!options.servername && options.servername !== "") options.servername = net.isIP(options.host) ? "" : options.host;
		return tls.connect(options);
	}
	/**
	* Abort the handshake and emit an error.
	*
	* @param {WebSocket} websocket The WebSocket instance
	* @param {(http.ClientRequest|net.Socket|tls.Socket)} stream The request to
	*     abort or the socket to destroy
	* @param {String} message The error message
	* @private
	*/
	function abortHandshake(websocket, stream, message) {
		websocket._readyState = WebSocket.CLOSING;
		const err = new Error(message);
		Error.captureStackTrace(err, abortHandshake);
		if (stream.setHeader) {
			stream[kAborted] = true;
			stream.abort();
			if (stream.socket && !stream.socket.destroyed) stream.socket.destroy();
			process.nextTick(emitErrorAndClose, websocket, err);
		} else {
			stream.destroy(err);
			stream.once("error", websocket.emit.bind(websocket, "error"));
			stream.once("close", websocket.emitClose.bind(websocket));
		}
	}
	/**
	* Handle cases where the `ping()`, `pong()`, or `send()` methods are called
	* when the `readyState` attribute is `CLOSING` or `CLOSED`.
	*
	* @param {WebSocket} websocket The WebSocket instance
	* @param {*} [data] The data to send
	* @param {Function} [cb] Callback
	* @private
	*/
	function sendAfterClose(websocket, data, cb) {
		if (data) {
			const length = isBlob(data) ? data.size : toBuffer(data).length;
			if (websocket._socket) websocket._sender._bufferedBytes += length;
			else websocket._bufferedAmount += length;
		}
		if (cb) {
			const err = /* @__PURE__ */ new Error(`WebSocket is not open: readyState ${websocket.readyState} (${readyStates[websocket.readyState]})`);
			process.nextTick(cb, err);
		}
	}
	/**
	* The listener of the `Receiver` `'conclude'` event.
	*
	* @param {Number} code The status code
	* @param {Buffer} reason The reason for closing
	* @private
	*/
	function receiverOnConclude(code, reason) {
		const websocket = this[kWebSocket];
		websocket._closeFrameReceived = true;
		websocket._closeCode = code;
		if (reason.length === 0) websocket._closeMessage = EMPTY_BUFFER;
		else {
			websocket._closeMessage = Buffer.allocUnsafeSlow(reason.length);
			websocket._closeMessage.set(reason);
		}
		if (websocket._socket[kWebSocket] === void 0) return;
		websocket._socket.removeListener("data", socketOnData);
		process.nextTick(resume, websocket._socket);
		if (code === 1005) websocket.close();
		else websocket.close(code, reason);
	}
	/**
	* The listener of the `Receiver` `'drain'` event.
	*
	* @private
	*/
	function receiverOnDrain() {
		const websocket = this[kWebSocket];
		if (!websocket.isPaused) websocket._socket.resume();
	}
	/**
	* The listener of the `Receiver` `'error'` event.
	*
	* @param {(RangeError|Error)} err The emitted error
	* @private
	*/
	function receiverOnError(err) {
		const websocket = this[kWebSocket];
		if (websocket._socket[kWebSocket] !== void 0) {
			websocket._socket.removeListener("data", socketOnData);
			process.nextTick(resume, websocket._socket);
			websocket.close(err[kStatusCode]);
		}
		if (!websocket._errorEmitted) {
			websocket._errorEmitted = true;
			websocket.emit("error", err);
		}
	}
	/**
	* The listener of the `Receiver` `'finish'` event.
	*
	* @private
	*/
	function receiverOnFinish() {
		this[kWebSocket].emitClose();
	}
	/**
	* The listener of the `Receiver` `'message'` event.
	*
	* @param {Buffer|ArrayBuffer|Buffer[])} data The message
	* @param {Boolean} isBinary Specifies whether the message is binary or not
	* @private
	*/
	function receiverOnMessage(data, isBinary) {
		this[kWebSocket].emit("message", data, isBinary);
	}
	/**
	* The listener of the `Receiver` `'ping'` event.
	*
	* @param {Buffer} data The data included in the ping frame
	* @private
	*/
	function receiverOnPing(data) {
		const websocket = this[kWebSocket];
		if (websocket._autoPong && websocket.readyState === WebSocket.OPEN) {
			if (websocket._maxPendingAutoPongs > 0 && websocket._pendingAutoPongs >= websocket._maxPendingAutoPongs) websocket.terminate();
			else {
				websocket._pendingAutoPongs++;
				websocket.pong(data, !this._isServer, websocket._autoPongComplete);
			}
		}
		websocket.emit("ping", data);
	}
	/**
	* The callback for automatic pong responses.
	*
	* @param {WebSocket} websocket The WebSocket instance
	* @private
	*/
	function autoPongComplete(websocket) {
		websocket._pendingAutoPongs--;
	}
	/**
	* The listener of the `Receiver` `'pong'` event.
	*
	* @param {Buffer} data The data included in the pong frame
	* @private
	*/
	function receiverOnPong(data) {
		this[kWebSocket].emit("pong", data);
	}
	/**
	* Resume a readable stream
	*
	* @param {Readable} stream The readable stream
	* @private
	*/
	function resume(stream) {
		stream.resume();
	}
	/**
	* The `Sender` error event handler.
	*
	* @param {Error} The error
	* @private
	*/
	function senderOnError(err) {
		const websocket = this[kWebSocket];
		if (websocket.readyState === WebSocket.CLOSED) return;
		if (websocket.readyState === WebSocket.OPEN) {
			websocket._readyState = WebSocket.CLOSING;
			setCloseTimer(websocket);
		}
		this._socket.end();
		if (!websocket._errorEmitted) {
			websocket._errorEmitted = true;
			websocket.emit("error", err);
		}
	}
	/**
	* Set a timer to destroy the underlying raw socket of a WebSocket.
	*
	* @param {WebSocket} websocket The WebSocket instance
	* @private
	*/
	function setCloseTimer(websocket) {
		websocket._closeTimer = setTimeout(websocket._socket.destroy.bind(websocket._socket), websocket._closeTimeout);
	}
	/**
	* The listener of the socket `'close'` event.
	*
	* @private
	*/
	function socketOnClose() {
		const websocket = this[kWebSocket];
		this.removeListener("close", socketOnClose);
		this.removeListener("data", socketOnData);
		this.removeListener("end", socketOnEnd);
		websocket._readyState = WebSocket.CLOSING;
		if (!this._readableState.endEmitted && !websocket._closeFrameReceived && !websocket._receiver._writableState.errorEmitted && this._readableState.length !== 0) {
			const chunk = this.read(this._readableState.length);
			websocket._receiver.write(chunk);
		}
		websocket._receiver.end();
		this[kWebSocket] = void 0;
		clearTimeout(websocket._closeTimer);
		if (websocket._receiver._writableState.finished || websocket._receiver._writableState.errorEmitted) websocket.emitClose();
		else {
			websocket._receiver.on("error", receiverOnFinish);
			websocket._receiver.on("finish", receiverOnFinish);
		}
	}
	/**
	* The listener of the socket `'data'` event.
	*
	* @param {Buffer} chunk A chunk of data
	* @private
	*/
	function socketOnData(chunk) {
		if (!this[kWebSocket]._receiver.write(chunk)) this.pause();
	}
	/**
	* The listener of the socket `'end'` event.
	*
	* @private
	*/
	function socketOnEnd() {
		const websocket = this[kWebSocket];
		websocket._readyState = WebSocket.CLOSING;
		websocket._receiver.end();
		this.end();
	}
	/**
	* The listener of the socket `'error'` event.
	*
	* @private
	*/
	function socketOnError() {
		const websocket = this[kWebSocket];
		this.removeListener("error", socketOnError);
		this.on("error", NOOP);
		if (websocket) {
			websocket._readyState = WebSocket.CLOSING;
			this.destroy();
		}
	}
}));
// ../../node_modules/.pnpm/ws@8.23.0/node_modules/ws/lib/stream.js
var require_stream = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	require_websocket();
	var { Duplex } = __require("stream");
	/**
	* Emits the `'close'` event on a stream.
	*
	* @param {Duplex} stream The stream.
	* @private
	*/
	function emitClose(stream) {
		stream.emit("close");
	}
	/**
	* The listener of the `'end'` event.
	*
	* @private
	*/
	function duplexOnEnd() {
		if (!this.destroyed && this._writableState.finished) this.destroy();
	}
	/**
	* The listener of the `'error'` event.
	*
	* @param {Error} err The error
	* @private
	*/
	function duplexOnError(err) {
		this.removeListener("error", duplexOnError);
		this.destroy();
		if (this.listenerCount("error") === 0) this.emit("error", err);
	}
	/**
	* Wraps a `WebSocket` in a duplex stream.
	*
	* @param {WebSocket} ws The `WebSocket` to wrap
	* @param {Object} [options] The options for the `Duplex` constructor
	* @return {Duplex} The duplex stream
	* @public
	*/
	function createWebSocketStream(ws, options) {
		let terminateOnDestroy = true;
		const duplex = new Duplex({
			...options,
			autoDestroy: false,
			emitClose: false,
			objectMode: false,
			writableObjectMode: false
		});
		ws.on("message", function message(msg, isBinary) {
			const data = !isBinary && duplex._readableState.objectMode ? msg.toString() : msg;
			if (!duplex.push(data)) ws.pause();
		});
		ws.once("error", function error(err) {
			if (duplex.destroyed) return;
			terminateOnDestroy = false;
			duplex.destroy(err);
		});
		ws.once("close", function close() {
			if (duplex.destroyed) return;
			duplex.push(null);
		});
		duplex._destroy = function(err, callback) {
			if (ws.readyState === ws.CLOSED) {
				callback(err);
				process.nextTick(emitClose, duplex);
				return;
			}
			let called = false;
			ws.once("error", function error(err) {
				called = true;
				callback(err);
			});
			ws.once("close", function close() {
				if (!called) callback(err);
				process.nextTick(emitClose, duplex);
			});
			if (terminateOnDestroy) ws.terminate();
		};
		duplex._final = function(callback) {
			if (ws.readyState === ws.CONNECTING) {
				ws.once("open", function open() {
					duplex._final(callback);
				});
				return;
			}
			if (ws._socket === null) return;
			if (ws._socket._writableState.finished) {
				callback();
				if (duplex._readableState.endEmitted) duplex.destroy();
			} else {
				ws._socket.once("finish", function finish() {
					callback();
				});
				ws.close();
			}
		};
		duplex._read = function() {
			if (ws.isPaused) ws.resume();
		};
		duplex._write = function(chunk, encoding, callback) {
			if (ws.readyState === ws.CONNECTING) {
				ws.once("open", function open() {
					duplex._write(chunk, encoding, callback);
				});
				return;
			}
			ws.send(chunk, callback);
		};
		duplex.on("end", duplexOnEnd);
		duplex.on("error", duplexOnError);
		return duplex;
	}
	module.exports = createWebSocketStream;
}));
// ../../node_modules/.pnpm/ws@8.23.0/node_modules/ws/lib/subprotocol.js
var require_subprotocol = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var { tokenChars } = require_validation();
	/**
	* Parses the `Sec-WebSocket-Protocol` header into a set of subprotocol names.
	*
	* @param {String} header The field value of the header
	* @return {Set} The subprotocol names
	* @public
	*/
	function parse(header) {
		const protocols = /* @__PURE__ */ new Set();
		let start = -1;
		let end = -1;
		let i = 0;
		for (; i < header.length; i++) {
			const code = header.charCodeAt(i);
			if (end === -1 && tokenChars[code] === 1) {
				if (start === -1) start = i;
			} else if (i !== 0 && (code === 32 || code === 9)) {
				if (end === -1 && start !== -1) end = i;
			} else if (code === 44) {
				if (start === -1) throw new SyntaxError(`Unexpected character at index ${i}`);
				if (end === -1) end = i;
				const protocol = header.slice(start, end);
				if (protocols.has(protocol)) throw new SyntaxError(`The "${protocol}" subprotocol is duplicated`);
				protocols.add(protocol);
				start = end = -1;
			} else throw new SyntaxError(`Unexpected character at index ${i}`);
		}
		if (start === -1 || end !== -1) throw new SyntaxError("Unexpected end of input");
		const protocol = header.slice(start, i);
		if (protocols.has(protocol)) throw new SyntaxError(`The "${protocol}" subprotocol is duplicated`);
		protocols.add(protocol);
		return protocols;
	}
	module.exports = { parse };
}));
// ../../node_modules/.pnpm/ws@8.23.0/node_modules/ws/lib/websocket-server.js
var require_websocket_server = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var EventEmitter = __require("events");
	var http = __require("http");
	var { Duplex } = __require("stream");
	var { createHash } = __require("crypto");
	var extension = require_extension();
	var PerMessageDeflate = require_permessage_deflate();
	var subprotocol = require_subprotocol();
	var WebSocket = require_websocket();
	var { CLOSE_TIMEOUT, GUID, kWebSocket } = require_constants();
	var keyRegex = /^[+/0-9A-Za-z]{22}==$/;
	var RUNNING = 0;
	var CLOSING = 1;
	var CLOSED = 2;
	/**
	* Class representing a WebSocket server.
	*
	* @extends EventEmitter
	*/
	var WebSocketServer = class extends EventEmitter {
		/**
		* Create a `WebSocketServer` instance.
		*
		* @param {Object} options Configuration options
		* @param {Boolean} [options.allowSynchronousEvents=true] Specifies whether
		*     any of the `'message'`, `'ping'`, and `'pong'` events can be emitted
		*     multiple times in the same tick
		* @param {Boolean} [options.autoPong=true] Specifies whether or not to
		*     automatically send a pong in response to a ping
		* @param {Number} [options.backlog=511] The maximum length of the queue of
		*     pending connections
		* @param {Boolean} [options.clientTracking=true] Specifies whether or not to
		*     track clients
		* @param {Number} [options.closeTimeout=30000] Duration in milliseconds to
		*     wait for the closing handshake to finish after `websocket.close()` is
		*     called
		* @param {Function} [options.handleProtocols] A hook to handle protocols
		* @param {String} [options.host] The hostname where to bind the server
		* @param {Number} [options.maxBufferedChunks=262144] The maximum number of
		*     buffered data chunks
		* @param {Number} [options.maxFragments=16384] The maximum number of message
		*     fragments
		* @param {Number} [options.maxPayload=104857600] The maximum allowed message
		*     size
		* @param {Number} [options.maxPendingAutoPongs=60] The maximum number of
		*     pending automatic pongs
		* @param {Boolean} [options.noServer=false] Enable no server mode
		* @param {String} [options.path] Accept only connections matching this path
		* @param {(Boolean|Object)} [options.perMessageDeflate=false] Enable/disable
		*     permessage-deflate
		* @param {Number} [options.port] The port where to bind the server
		* @param {(http.Server|https.Server)} [options.server] A pre-created HTTP/S
		*     server to use
		* @param {Boolean} [options.skipUTF8Validation=false] Specifies whether or
		*     not to skip UTF-8 validation for text and close messages
		* @param {Function} [options.verifyClient] A hook to reject connections
		* @param {Function} [options.WebSocket=WebSocket] Specifies the `WebSocket`
		*     class to use. It must be the `WebSocket` class or class that extends it
		* @param {Function} [callback] A listener for the `listening` event
		*/
		constructor(options, callback) {
			super();
			options = {
				allowSynchronousEvents: true,
				autoPong: true,
				maxBufferedChunks: 262144,
				maxFragments: 16384,
				maxPayload: 104857600,
				maxPendingAutoPongs: 60,
				skipUTF8Validation: false,
				perMessageDeflate: false,
				handleProtocols: null,
				clientTracking: true,
				closeTimeout: CLOSE_TIMEOUT,
				verifyClient: null,
				noServer: false,
				backlog: null,
				server: null,
				host: null,
				path: null,
				port: null,
				WebSocket,
				...options
			};
			if (options.port == null && !options.server && !options.noServer || options.port != null && (options.server || options.noServer) || options.server && options.noServer) throw new TypeError("One and only one of the \"port\", \"server\", or \"noServer\" options must be specified");
			if (options.port != null) {
				this._server = http.createServer((req, res) => {
					const body = http.STATUS_CODES[426];
					res.writeHead(426, {
						"Content-Length": body.length,
						"Content-Type": "text/plain"
					});
					res.end(body);
				});
				this._server.listen(options.port, options.host, options.backlog, callback);
			} else if (options.server) this._server = options.server;
			if (this._server) {
				const emitConnection = this.emit.bind(this, "connection");
				this._removeListeners = addListeners(this._server, {
					listening: this.emit.bind(this, "listening"),
					error: this.emit.bind(this, "error"),
					upgrade: (req, socket, head) => {
						this.handleUpgrade(req, socket, head, emitConnection);
					}
				});
			}
			if (options.perMessageDeflate === true) options.perMessageDeflate = {};
			if (options.clientTracking) {
				this.clients = /* @__PURE__ */ new Set();
				this._shouldEmitClose = false;
			}
			this.options = options;
			this._state = RUNNING;
		}
		/**
		* Returns the bound address, the address family name, and port of the server
		* as reported by the operating system if listening on an IP socket.
		* If the server is listening on a pipe or UNIX domain socket, the name is
		* returned as a string.
		*
		* @return {(Object|String|null)} The address of the server
		* @public
		*/
		address() {
			if (this.options.noServer) throw new Error("The server is operating in \"noServer\" mode");
			if (!this._server) return null;
			return this._server.address();
		}
		/**
		* Stop the server from accepting new connections and emit the `'close'` event
		* when all existing connections are closed.
		*
		* @param {Function} [cb] A one-time listener for the `'close'` event
		* @public
		*/
		close(cb) {
			if (this._state === CLOSED) {
				if (cb) this.once("close", () => {
					cb(/* @__PURE__ */ new Error("The server is not running"));
				});
				process.nextTick(emitClose, this);
				return;
			}
			if (cb) this.once("close", cb);
			if (this._state === CLOSING) return;
			this._state = CLOSING;
			if (this.options.noServer || this.options.server) {
				if (this._server) {
					this._removeListeners();
					this._removeListeners = this._server = null;
				}
				if (this.clients) {
					if (!this.clients.size) process.nextTick(emitClose, this);
					else this._shouldEmitClose = true;
				} else process.nextTick(emitClose, this);
			} else {
				const server = this._server;
				this._removeListeners();
				this._removeListeners = this._server = null;
				server.close(() => {
					emitClose(this);
				});
			}
		}
		/**
		* See if a given request should be handled by this server instance.
		*
		* @param {http.IncomingMessage} req Request object to inspect
		* @return {Boolean} `true` if the request is valid, else `false`
		* @public
		*/
		shouldHandle(req) {
			if (this.options.path) {
				const index = req.url.indexOf("?");
				if ((index !== -1 ? req.url.slice(0, index) : req.url) !== this.options.path) return false;
			}
			return true;
		}
		/**
		* Handle a HTTP Upgrade request.
		*
		* @param {http.IncomingMessage} req The request object
		* @param {Duplex} socket The network socket between the server and client
		* @param {Buffer} head The first packet of the upgraded stream
		* @param {Function} cb Callback
		* @public
		*/
		handleUpgrade(req, socket, head, cb) {
			socket.on("error", socketOnError);
			const key = req.headers["sec-websocket-key"];
			const upgrade = req.headers.upgrade;
			const version = +req.headers["sec-websocket-version"];
			if (req.method !== "GET") {
				abortHandshakeOrEmitwsClientError(this, req, socket, 405, "Invalid HTTP method");
				return;
			}
			if (upgrade === void 0 || upgrade.toLowerCase() !== "websocket") {
				abortHandshakeOrEmitwsClientError(this, req, socket, 400, "Invalid Upgrade header");
				return;
			}
			if (key === void 0 || !keyRegex.test(key)) {
				abortHandshakeOrEmitwsClientError(this, req, socket, 400, "Missing or invalid Sec-WebSocket-Key header");
				return;
			}
			if (version !== 13 && version !== 8) {
				abortHandshakeOrEmitwsClientError(this, req, socket, 400, "Missing or invalid Sec-WebSocket-Version header", { "Sec-WebSocket-Version": "13, 8" });
				return;
			}
			if (!this.shouldHandle(req)) {
				abortHandshake(socket, 400);
				return;
			}
			const secWebSocketProtocol = req.headers["sec-websocket-protocol"];
			let protocols = /* @__PURE__ */ new Set();
			if (secWebSocketProtocol !== void 0) try {
				protocols = subprotocol.parse(secWebSocketProtocol);
			} catch (err) {
				abortHandshakeOrEmitwsClientError(this, req, socket, 400, "Invalid Sec-WebSocket-Protocol header");
				return;
			}
			const secWebSocketExtensions = req.headers["sec-websocket-extensions"];
			const extensions = {};
			if (this.options.perMessageDeflate && secWebSocketExtensions !== void 0) {
				const perMessageDeflate = new PerMessageDeflate({
					...this.options.perMessageDeflate,
					isServer: true,
					maxPayload: this.options.maxPayload
				});
				try {
					const offers = extension.parse(secWebSocketExtensions);
					if (offers[PerMessageDeflate.extensionName]) {
						perMessageDeflate.accept(offers[PerMessageDeflate.extensionName]);
						extensions[PerMessageDeflate.extensionName] = perMessageDeflate;
					}
				} catch (err) {
					abortHandshakeOrEmitwsClientError(this, req, socket, 400, "Invalid or unacceptable Sec-WebSocket-Extensions header");
					return;
				}
			}
			if (this.options.verifyClient) {
				const info = {
					origin: req.headers[`${version === 8 ? "sec-websocket-origin" : "origin"}`],
					secure: !!(req.socket.authorized || req.socket.encrypted),
					req
				};
				if (this.options.verifyClient.length === 2) {
					this.options.verifyClient(info, (verified, code, message, headers) => {
						if (!verified) return abortHandshake(socket, code || 401, message, headers);
						this.completeUpgrade(extensions, key, protocols, req, socket, head, cb);
					});
					return;
				}
				if (!this.options.verifyClient(info)) return abortHandshake(socket, 401);
			}
			this.completeUpgrade(extensions, key, protocols, req, socket, head, cb);
		}
		/**
		* Upgrade the connection to WebSocket.
		*
		* @param {Object} extensions The accepted extensions
		* @param {String} key The value of the `Sec-WebSocket-Key` header
		* @param {Set} protocols The subprotocols
		* @param {http.IncomingMessage} req The request object
		* @param {Duplex} socket The network socket between the server and client
		* @param {Buffer} head The first packet of the upgraded stream
		* @param {Function} cb Callback
		* @throws {Error} If called more than once with the same socket
		* @private
		*/
		completeUpgrade(extensions, key, protocols, req, socket, head, cb) {
			if (!socket.readable || !socket.writable) return socket.destroy();
			if (socket[kWebSocket]) throw new Error("server.handleUpgrade() was called more than once with the same socket, possibly due to a misconfiguration");
			if (this._state > RUNNING) return abortHandshake(socket, 503);
			const headers = [
				"HTTP/1.1 101 Switching Protocols",
				"Upgrade: websocket",
				"Connection: Upgrade",
				`Sec-WebSocket-Accept: ${createHash("sha1").update(key + GUID).digest("base64")}`
			];
			const ws = new this.options.WebSocket(null, void 0, this.options);
			if (protocols.size) {
				const protocol = this.options.handleProtocols ? this.options.handleProtocols(protocols, req) : protocols.values().next().value;
				if (protocol) {
					headers.push(`Sec-WebSocket-Protocol: ${protocol}`);
					ws._protocol = protocol;
				}
			}
			if (extensions[PerMessageDeflate.extensionName]) {
				const params = extensions[PerMessageDeflate.extensionName].params;
				const value = extension.format({ [PerMessageDeflate.extensionName]: [params] });
				headers.push(`Sec-WebSocket-Extensions: ${value}`);
				ws._extensions = extensions;
			}
			this.emit("headers", headers, req);
			socket.write(headers.concat("\r\n").join("\r\n"));
			socket.removeListener("error", socketOnError);
			ws.setSocket(socket, head, {
				allowSynchronousEvents: this.options.allowSynchronousEvents,
				maxBufferedChunks: this.options.maxBufferedChunks,
				maxFragments: this.options.maxFragments,
				maxPayload: this.options.maxPayload,
				skipUTF8Validation: this.options.skipUTF8Validation
			});
			if (this.clients) {
				this.clients.add(ws);
				ws.on("close", () => {
					this.clients.delete(ws);
					if (this._shouldEmitClose && !this.clients.size) process.nextTick(emitClose, this);
				});
			}
			cb(ws, req);
		}
	};
	module.exports = WebSocketServer;
	/**
	* Add event listeners on an `EventEmitter` using a map of <event, listener>
	* pairs.
	*
	* @param {EventEmitter} server The event emitter
	* @param {Object.<String, Function>} map The listeners to add
	* @return {Function} A function that will remove the added listeners when
	*     called
	* @private
	*/
	function addListeners(server, map) {
		for (const event of Object.keys(map)) server.on(event, map[event]);
		return function removeListeners() {
			for (const event of Object.keys(map)) server.removeListener(event, map[event]);
		};
	}
	/**
	* Emit a `'close'` event on an `EventEmitter`.
	*
	* @param {EventEmitter} server The event emitter
	* @private
	*/
	function emitClose(server) {
		server._state = CLOSED;
		server.emit("close");
	}
	/**
	* Handle socket errors.
	*
	* @private
	*/
	function socketOnError() {
		this.destroy();
	}
	/**
	* Close the connection when preconditions are not fulfilled.
	*
	* @param {Duplex} socket The socket of the upgrade request
	* @param {Number} code The HTTP response status code
	* @param {String} [message] The HTTP response body
	* @param {Object} [headers] Additional HTTP response headers
	* @private
	*/
	function abortHandshake(socket, code, message, headers) {
		message = message || http.STATUS_CODES[code];
		headers = {
			Connection: "close",
			"Content-Type": "text/html",
			"Content-Length": Buffer.byteLength(message),
			...headers
		};
		socket.once("finish", socket.destroy);
		socket.end(`HTTP/1.1 ${code} ${http.STATUS_CODES[code]}\r\n` + Object.keys(headers).map((h) => `${h}: ${headers[h]}`).join("\r\n") + "\r\n\r\n" + message);
	}
	/**
	* Emit a `'wsClientError'` event on a `WebSocketServer` if there is at least
	* one listener for it, otherwise call `abortHandshake()`.
	*
	* @param {WebSocketServer} server The WebSocket server
	* @param {http.IncomingMessage} req The request object
	* @param {Duplex} socket The socket of the upgrade request
	* @param {Number} code The HTTP response status code
	* @param {String} message The HTTP response body
	* @param {Object} [headers] The HTTP response headers
	* @private
	*/
	function abortHandshakeOrEmitwsClientError(server, req, socket, code, message, headers) {
		if (server.listenerCount("wsClientError")) {
			const err = new Error(message);
			Error.captureStackTrace(err, abortHandshakeOrEmitwsClientError);
			server.emit("wsClientError", err, socket, req);
		} else abortHandshake(socket, code, message, headers);
	}
}));
require_stream();
require_extension();
require_permessage_deflate();
require_receiver();
require_sender();
require_subprotocol();
var import_websocket = /* @__PURE__ */ __toESM(require_websocket(), 1);
require_websocket_server();
// ../../packages/transport/src/node/node-websocket.ts
/** `ws` as a client: lets bots, tests and native players in Node be ordinary clients. */
var NodeWebSocket = class extends import_websocket.default {
	constructor(url, protocols) {
		super(url, protocols, { perMessageDeflate: false });
	}
};
// src/car/car-state.ts
var idleInput = {
	steer: 0,
	throttle: 0,
	handbrake: false
};
function carAt(pose) {
	return {
		x: pose.x,
		y: pose.y,
		headingRad: pose.headingRad,
		velocityX: 0,
		velocityY: 0,
		yawRateRadPerS: 0,
		steer: 0,
		throttle: 0,
		handbrake: false,
		frontSlide: 0,
		rearSlide: 0,
		wheelsOff: 0,
		wheelsOnKerb: 0,
		impactMps: 0
	};
}
function speedOf(car) {
	return Math.hypot(car.velocityX, car.velocityY);
}
/** Speed along the car's nose, negative when rolling backwards. */
function forwardSpeedOf(car) {
	return car.velocityX * Math.cos(car.headingRad) + car.velocityY * Math.sin(car.headingRad);
}
// src/track/spline.ts
/** Uniform cubic B-spline: curvature is continuous, which is what a driver feels. */
function bSpline(p0, p1, p2, p3, t) {
	const t2 = t * t;
	const t3 = t2 * t;
	const b0 = 1 - 3 * t + 3 * t2 - t3;
	const b1 = 4 - 6 * t2 + 3 * t3;
	const b2 = 1 + 3 * t + 3 * t2 - 3 * t3;
	return (b0 * p0 + b1 * p1 + b2 * p2 + t3 * p3) / 6;
}
function curvePoint(points, segment, t) {
	const at = (offset) => points[(segment + offset) % points.length];
	const [a, b, c, d] = [
		at(0),
		at(1),
		at(2),
		at(3)
	];
	return {
		x: bSpline(a.x, b.x, c.x, d.x, t),
		y: bSpline(a.y, b.y, c.y, d.y, t),
		halfWidthM: bSpline(a.halfWidthM, b.halfWidthM, c.halfWidthM, d.halfWidthM, t)
	};
}
/** Points along the closed curve, `spacingM` apart as nearly as a whole number of them allows. */
function sampleClosedCurve(points, spacingM) {
	const fine = [];
	const stepsPerSegment = 64;
	for (let segment = 0; segment < points.length; segment++) for (let step = 0; step < stepsPerSegment; step++) fine.push(curvePoint(points, segment, step / stepsPerSegment));
	return resample(fine, spacingM);
}
function resample(fine, spacingM) {
	const lengths = fine.map((point, index) => {
		const next = fine[(index + 1) % fine.length];
		return Math.hypot(next.x - point.x, next.y - point.y);
	});
	const total = lengths.reduce((sum, length) => sum + length, 0);
	const count = Math.round(total / spacingM);
	const result = [];
	let index = 0;
	let walked = 0;
	for (let sample = 0; sample < count; sample++) {
		const target = sample * total / count;
		while (walked + lengths[index] < target) walked += lengths[index++];
		const from = fine[index];
		const to = fine[(index + 1) % fine.length];
		const t = (target - walked) / lengths[index];
		result.push({
			x: from.x + (to.x - from.x) * t,
			y: from.y + (to.y - from.y) * t,
			halfWidthM: from.halfWidthM + (to.halfWidthM - from.halfWidthM) * t
		});
	}
	return result;
}
// src/track/track.ts
var SAMPLE_SPACING_M = 2;
/** Every n-th sample is looked at first; the neighbourhood of the best one is then searched exactly. */
var COARSE_STRIDE = 4;
/** Builds the track with its start line at `startLineM` metres along the raw curve. */
function buildTrack(points, startLineM) {
	const raw = sampleClosedCurve(points, SAMPLE_SPACING_M);
	const shift = Math.round(startLineM / SAMPLE_SPACING_M) % raw.length;
	const samples = [...raw.slice(shift), ...raw.slice(0, shift)];
	const count = samples.length;
	const at = (index) => samples[(index + count) % count];
	const lengthM = samples.reduce((sum, p, i) => sum + Math.hypot(at(i + 1).x - p.x, at(i + 1).y - p.y), 0);
	const track = {
		lengthM,
		spacingM: lengthM / count,
		count,
		x: Float64Array.from(samples, (p) => p.x),
		y: Float64Array.from(samples, (p) => p.y),
		tangentX: new Float64Array(count),
		tangentY: new Float64Array(count),
		halfWidthM: Float64Array.from(samples, (p) => p.halfWidthM),
		curvature: new Float64Array(count)
	};
	for (let i = 0; i < count; i++) {
		const dx = at(i + 1).x - at(i - 1).x;
		const dy = at(i + 1).y - at(i - 1).y;
		const norm = Math.hypot(dx, dy);
		track.tangentX[i] = dx / norm;
		track.tangentY[i] = dy / norm;
		track.curvature[i] = turnBetween(at(i - 2), at(i), at(i + 2));
	}
	return track;
}
/** Curvature of the circle through three points, signed. */
function turnBetween(a, b, c) {
	const cross = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
	const ab = Math.hypot(b.x - a.x, b.y - a.y);
	const bc = Math.hypot(c.x - b.x, c.y - b.y);
	const ca = Math.hypot(a.x - c.x, a.y - c.y);
	const product = ab * bc * ca;
	return product === 0 ? 0 : 2 * cross / product;
}
function wrapDistance(track, distanceM) {
	const wrapped = distanceM % track.lengthM;
	return wrapped < 0 ? wrapped + track.lengthM : wrapped;
}
/** The shorter way from one distance along the lap to another, in (-length/2, length/2]. */
function distanceDelta(track, fromM, toM) {
	const delta = wrapDistance(track, toM - fromM);
	return delta > track.lengthM / 2 ? delta - track.lengthM : delta;
}
function squaredDistance(track, index, x, y) {
	const dx = track.x[index] - x;
	const dy = track.y[index] - y;
	return dx * dx + dy * dy;
}
function nearestSample(track, x, y) {
	let best = 0;
	let bestSquared = Infinity;
	for (let index = 0; index < track.count; index += COARSE_STRIDE) {
		const squared = squaredDistance(track, index, x, y);
		if (squared < bestSquared) [best, bestSquared] = [index, squared];
	}
	const coarse = best;
	for (let step = -4; step <= COARSE_STRIDE; step++) {
		const index = (coarse + step + track.count) % track.count;
		const squared = squaredDistance(track, index, x, y);
		if (squared < bestSquared) [best, bestSquared] = [index, squared];
	}
	return best;
}
/** The nearest place on the centre line; total over the whole plane. */
function projectOnTrack(track, x, y) {
	const index = nearestSample(track, x, y);
	const dx = x - track.x[index];
	const dy = y - track.y[index];
	const along = dx * track.tangentX[index] + dy * track.tangentY[index];
	const neighbour = (index + (along >= 0 ? 1 : -1) + track.count) % track.count;
	const t = Math.min(1, Math.abs(along) / track.spacingM);
	const mix = (values) => values[index] * (1 - t) + values[neighbour] * t;
	const [rawX, rawY] = [mix(track.tangentX), mix(track.tangentY)];
	const norm = Math.hypot(rawX, rawY);
	const [tangentX, tangentY] = [rawX / norm, rawY / norm];
	return {
		distanceM: wrapDistance(track, index * track.spacingM + Math.max(-1, Math.min(1, along / track.spacingM)) * track.spacingM),
		offsetM: (x - mix(track.x)) * -tangentY + (y - mix(track.y)) * tangentX,
		halfWidthM: mix(track.halfWidthM),
		headingRad: Math.atan2(tangentY, tangentX),
		tangentX,
		tangentY
	};
}
function sampleIndexAt(track, distanceM) {
	return Math.floor(wrapDistance(track, distanceM) / track.spacingM) % track.count;
}
/** The point `offsetM` to the right of the centre line at `distanceM`. */
function poseOnTrack(track, distanceM, offsetM = 0) {
	const exact = wrapDistance(track, distanceM) / track.spacingM;
	const index = Math.floor(exact) % track.count;
	const next = (index + 1) % track.count;
	const t = exact - Math.floor(exact);
	const mix = (values) => values[index] * (1 - t) + values[next] * t;
	const [tangentX, tangentY] = [mix(track.tangentX), mix(track.tangentY)];
	return {
		x: mix(track.x) - tangentY * offsetM,
		y: mix(track.y) + tangentX * offsetM,
		headingRad: Math.atan2(tangentY, tangentX)
	};
}
// src/track/surface.ts
var surfaceEffects = {
	road: {
		grip: 1,
		resistanceMps2: 0,
		resistancePerSecond: 0
	},
	kerb: {
		grip: .94,
		resistanceMps2: .2,
		resistancePerSecond: 0
	},
	grass: {
		grip: .6,
		resistanceMps2: .6,
		resistancePerSecond: .19
	},
	gravel: {
		grip: .52,
		resistanceMps2: 1,
		resistancePerSecond: .3
	}
};
/** Corners tighter than this get kerbs. */
var KERB_RADIUS_M = 72;
var APEX_KERB_MARGIN_M = 4;
/** Cars run wide after the apex, so the outer kerb lies later than the corner. */
var EXIT_KERB_SHIFT_M = 16;
function buildRoadside(track, gravelBeds) {
	const flags = () => [new Uint8Array(track.count), new Uint8Array(track.count)];
	const roadside = {
		kerbs: flags(),
		gravel: flags()
	};
	const margin = Math.round(APEX_KERB_MARGIN_M / track.spacingM);
	const shift = Math.round(EXIT_KERB_SHIFT_M / track.spacingM);
	for (let index = 0; index < track.count; index++) {
		const curvature = track.curvature[index];
		if (Math.abs(curvature) < 1 / KERB_RADIUS_M) continue;
		const inner = curvature > 0 ? 1 : 0;
		for (let step = -margin; step <= margin; step++) mark(roadside.kerbs[inner], index + step);
		mark(roadside.kerbs[1 - inner], index + shift);
	}
	for (const bed of gravelBeds) for (let at = bed.fromM; at < bed.toM; at += track.spacingM) mark(roadside.gravel[bed.side < 0 ? 0 : 1], sampleIndexAt(track, at));
	return roadside;
}
function mark(flags, index) {
	flags[(index + flags.length) % flags.length] = 1;
}
/** The surface `offsetM` to the right of the centre line at a place found by `projectOnTrack`. */
function surfaceAtOffset(track, roadside, at, offsetM) {
	const outside = Math.abs(offsetM) - at.halfWidthM;
	if (outside <= 0) return "road";
	const side = offsetM < 0 ? 0 : 1;
	const index = sampleIndexAt(track, at.distanceM);
	if (outside <= 1.5 && roadside.kerbs[side][index] === 1) return "kerb";
	return outside >= 4 && outside <= 17 && roadside.gravel[side][index] === 1 ? "gravel" : "grass";
}
// src/car/angle.ts
/** Wraps to [-pi, pi). */
function wrapAngle(angleRad) {
	const turns = (angleRad + Math.PI) / (2 * Math.PI);
	return (turns - Math.floor(turns)) * 2 * Math.PI - Math.PI;
}
function clamp(value, low, high) {
	return value < low ? low : value > high ? high : value;
}
// src/car/car-parameters.ts
/**
* The car, in SI units. Forces are per kilogram of car (m/s2), so the mass never appears.
* Tuned for driving with two keys: the tail steps out on the throttle, and comes back.
*/
var carParameters = {
	lengthM: 4.3,
	widthM: 1.9,
	/** Centre of mass to the axles. */
	frontAxleM: 1.2,
	rearAxleM: 1.3,
	halfTrackM: .8,
	/** Yaw inertia per mass. */
	yawInertiaM2: 1.75,
	/** Grip of a fresh tyre on the road, as a multiple of gravity. */
	grip: 1.5,
	/** Slip angle at which a tyre grips most; beyond it grip falls to `slidingGrip` of the peak. */
	frontPeakSlipRad: .15,
	rearPeakSlipRad: .125,
	tyreShape: 1.42,
	enginePowerWPerKg: 235,
	engineLimitMps2: 9.6,
	reverseMps2: 4.5,
	reverseTopMps: 9,
	brakeMps2: 12.5,
	engineBrakingMps2: 1.1,
	airDragPerM: .00165,
	rollingMps2: .18,
	/** Share of the rear tyres' side grip that full drive takes away: throttle oversteer. */
	driveSideGripLoss: .35,
	/** Share of side grip that is left at the rear with the handbrake on, and its braking. */
	handbrakeSideGrip: .32,
	handbrakeMps2: 5.5,
	steerLimitRad: .62,
	/** How fast the wheel follows the driver's hands, full locks per second. */
	steerPerSecond: 5.5,
	steerReturnPerSecond: 8,
	/** The front wheels turn into a slide by themselves by this share of the slide's angle (caster). */
	casterShare: .7,
	yawDampingPerSecond: 1.1,
	/**
	* Turns the nose towards the direction of travel, rad/s2 per radian of drift. No tyre does this: two keys cannot
	* balance a slide on the throttle, so the car helps, least with the handbrake on.
	*/
	driftHelpPerS2: 4.2,
	driftHelpOnHandbrake: .25
};
/** The road wheel's turn at full lock: what the front tyres can use at this speed, and a bit more. */
function steerLockRad(speedMps) {
	const p = carParameters;
	const wheelbaseM = p.frontAxleM + p.rearAxleM;
	const kinematic = Math.atan(wheelbaseM * p.grip * 9.81 / Math.max(16, speedMps * speedMps));
	return Math.min(p.steerLimitRad, kinematic + p.frontPeakSlipRad * .95);
}
// src/car/tyre.ts
/**
* Side force of a tyre as a share of its grip, -1 to 1: rises with the slip angle to a peak, then falls
* to the sliding value, sin(shape * pi / 2). Does not depend on load. Opposes the slip.
*/
function tyreSideForce(slipRad, peakSlipRad, shape) {
	const stiffness = Math.tan(Math.PI / (2 * shape)) / peakSlipRad;
	return -Math.sin(shape * Math.atan(stiffness * slipRad));
}
/** How far beyond the peak, 0 to 1. */
function slideBeyondPeak(slipRad, peakSlipRad) {
	const beyond = (Math.abs(slipRad) - peakSlipRad * 1.1) / (peakSlipRad * 2.2);
	return Math.max(0, Math.min(1, beyond));
}
var STEP_S = 1 / 60;
var STEP_MS = 1e3 / 60;
var GRAVITY_MPS2 = 9.81;
/** Tyres are stiff: at one step per 1/60 s the yaw would ring at low speed. */
var SUBSTEPS = 4;
var WHEELBASE_M = carParameters.frontAxleM + carParameters.rearAxleM;
/** Slip angles are taken against at least this speed, so that a standing car is not shaken by rounding. */
var SLIP_SPEED_FLOOR_MPS = 2;
/** One fixed step of 1/60 s. */
function stepCar(car, input, circuit) {
	turnWheel(car, input);
	car.throttle = clamp(Number.isFinite(input.throttle) ? input.throttle : 0, -1, 1);
	car.handbrake = input.handbrake;
	car.impactMps = 0;
	const ground = readGround(car, circuit, projectOnTrack(circuit.track, car.x, car.y));
	for (let substep = 0; substep < SUBSTEPS; substep++) integrate(car, ground, STEP_S / SUBSTEPS);
	hitWall(car, circuit);
}
function turnWheel(car, input) {
	const wanted = clamp(Number.isFinite(input.steer) ? input.steer : 0, -1, 1);
	const reach = (Math.abs(wanted) < Math.abs(car.steer) || wanted * car.steer < 0 ? carParameters.steerReturnPerSecond : carParameters.steerPerSecond) * STEP_S;
	car.steer = clamp(wanted, car.steer - reach, car.steer + reach);
}
function readGround(car, circuit, at) {
	const [cos, sin] = [Math.cos(car.headingRad), Math.sin(car.headingRad)];
	const ground = {
		frontGrip: 0,
		rearGrip: 0,
		resistanceMps2: 0,
		resistancePerSecond: 0
	};
	car.wheelsOff = 0;
	car.wheelsOnKerb = 0;
	for (const axle of [1, -1]) for (const side of [-1, 1]) {
		const along = axle > 0 ? carParameters.frontAxleM : -carParameters.rearAxleM;
		const across = side * carParameters.halfTrackM;
		const wheelX = along * cos - across * sin;
		const wheelY = along * sin + across * cos;
		const offsetM = at.offsetM - wheelX * at.tangentY + wheelY * at.tangentX;
		const surface = surfaceAtOffset(circuit.track, circuit.roadside, at, offsetM);
		const effect = surfaceEffects[surface];
		if (axle > 0) ground.frontGrip += effect.grip / 2;
		else ground.rearGrip += effect.grip / 2;
		ground.resistanceMps2 += effect.resistanceMps2 / 4;
		ground.resistancePerSecond += effect.resistancePerSecond / 4;
		if (surface === "kerb") car.wheelsOnKerb++;
		else if (surface !== "road") car.wheelsOff++;
	}
	return ground;
}
function integrate(car, ground, dt) {
	const [cos, sin] = [Math.cos(car.headingRad), Math.sin(car.headingRad)];
	const forward = car.velocityX * cos + car.velocityY * sin;
	const sideways = -car.velocityX * sin + car.velocityY * cos;
	const speed = Math.hypot(forward, sideways);
	const rolling = Math.max(SLIP_SPEED_FLOOR_MPS, Math.abs(forward));
	const wheelRad = roadWheelAngle(car, forward, sideways);
	const frontSlip = Math.atan2(sideways + car.yawRateRadPerS * carParameters.frontAxleM, rolling) - wheelRad * (forward < -.5 ? -1 : 1);
	const rearSlip = Math.atan2(sideways - car.yawRateRadPerS * carParameters.rearAxleM, rolling);
	const frontGrip = carParameters.grip * GRAVITY_MPS2 * (carParameters.rearAxleM / WHEELBASE_M) * ground.frontGrip;
	const rearGrip = carParameters.grip * GRAVITY_MPS2 * (carParameters.frontAxleM / WHEELBASE_M) * ground.rearGrip;
	const drive = driveForce(car, forward, rearGrip);
	const rearShare = rearSideGrip(car, Math.abs(drive) / rearGrip);
	const front = frontGrip * tyreSideForce(frontSlip, carParameters.frontPeakSlipRad, carParameters.tyreShape);
	const rear = rearGrip * rearShare * tyreSideForce(rearSlip, carParameters.rearPeakSlipRad, carParameters.tyreShape);
	const along = drive + resistingAlong(resistance(car, ground, forward, speed), forward, dt) - front * Math.sin(wheelRad);
	const across = front * Math.cos(wheelRad) + rear - ground.resistancePerSecond * sideways / 2;
	const yaw = (front * Math.cos(wheelRad) * carParameters.frontAxleM - rear * carParameters.rearAxleM) / carParameters.yawInertiaM2 + driftHelp(car, forward, sideways);
	car.velocityX += (along * cos - across * sin) * dt;
	car.velocityY += (along * sin + across * cos) * dt;
	car.yawRateRadPerS += (yaw - carParameters.yawDampingPerSecond * car.yawRateRadPerS) * dt;
	settle(car, speed);
	car.headingRad = wrapAngle(car.headingRad + car.yawRateRadPerS * dt);
	car.x += car.velocityX * dt;
	car.y += car.velocityY * dt;
	const moving = clamp((speed - 1.5) / 4, 0, 1);
	car.frontSlide = moving * slideBeyondPeak(frontSlip, carParameters.frontPeakSlipRad);
	const spinning = car.throttle > .6 && speed < 9 && speed > .4 ? .5 : 0;
	car.rearSlide = Math.max(moving * slideBeyondPeak(rearSlip, carParameters.rearPeakSlipRad), spinning, lockedSlide(car, speed));
}
/** Steering plus caster: rolling forward, the front wheels follow the direction of travel into a slide. */
function roadWheelAngle(car, forward, sideways) {
	const steered = car.steer * steerLockRad(Math.abs(forward));
	if (forward < 4) return steered;
	const fade = Math.min(1, (forward - 4) / 6);
	const travelRad = Math.atan2(sideways, forward);
	return clamp(steered + fade * carParameters.casterShare * travelRad, -carParameters.steerLimitRad, carParameters.steerLimitRad);
}
function driftHelp(car, forward, sideways) {
	if (forward < 4) return 0;
	return carParameters.driftHelpPerS2 * (car.handbrake ? carParameters.driftHelpOnHandbrake : 1) * Math.min(1, (forward - 4) / 8) * Math.atan2(sideways, forward);
}
function driveForce(car, forward, rearGrip) {
	if (car.throttle > 0 && forward > -.5) {
		const engine = Math.min(carParameters.engineLimitMps2, carParameters.enginePowerWPerKg / Math.max(1, forward));
		return Math.min(car.throttle * engine, rearGrip * 1.3);
	}
	if (car.throttle < 0 && forward < .5) return forward > -carParameters.reverseTopMps ? car.throttle * carParameters.reverseMps2 : 0;
	return 0;
}
function rearSideGrip(car, driveUse) {
	if (car.handbrake) return carParameters.handbrakeSideGrip;
	const use = Math.min(1, driveUse);
	return 1 - carParameters.driveSideGripLoss * use * use;
}
/** Deceleration along the car from brakes, air, ground; its direction is against the motion. */
function resistance(car, ground, forward, speed) {
	const grip = (ground.frontGrip + ground.rearGrip) / 2;
	const braking = car.throttle * forward < 0 && Math.abs(forward) >= .5 ? carParameters.brakeMps2 * Math.abs(car.throttle) * grip : 0;
	const handbrake = car.handbrake ? carParameters.handbrakeMps2 * ground.rearGrip : 0;
	const coasting = car.throttle === 0 ? carParameters.engineBrakingMps2 : 0;
	const underWheels = ground.resistanceMps2 + ground.resistancePerSecond * Math.abs(forward);
	return Math.max(braking, handbrake) + coasting + underWheels + carParameters.rollingMps2 + carParameters.airDragPerM * speed * speed;
}
/** A resistance stops the car but never pushes it back. */
function resistingAlong(resisting, forward, dt) {
	return -Math.sign(forward) * Math.min(resisting, Math.abs(forward) / dt);
}
function lockedSlide(car, speed) {
	if (car.handbrake && speed > 4) return .8;
	return car.throttle < -.9 && speed > 16 ? .35 : 0;
}
/** A car that hardly moves and is not driven stands still. */
function settle(car, speed) {
	if (speed > .25 || Math.abs(car.throttle) > .02) return;
	car.velocityX *= .8;
	car.velocityY *= .8;
	car.yawRateRadPerS *= .8;
}
var CAR_RADIUS_M = 1.6;
var WALL_BOUNCE = .25;
var WALL_FRICTION = .35;
function hitWall(car, circuit) {
	const at = projectOnTrack(circuit.track, car.x, car.y);
	const beyondM = Math.abs(at.offsetM) - (circuit.wallDistanceM - CAR_RADIUS_M);
	if (beyondM <= 0) return;
	const outward = Math.sign(at.offsetM);
	const [normalX, normalY] = [-at.tangentY * outward, at.tangentX * outward];
	car.x -= normalX * beyondM;
	car.y -= normalY * beyondM;
	const into = car.velocityX * normalX + car.velocityY * normalY;
	if (into <= 0) return;
	const along = car.velocityX * at.tangentX + car.velocityY * at.tangentY;
	const kept = Math.max(0, Math.abs(along) - WALL_FRICTION * into) * Math.sign(along);
	car.velocityX = at.tangentX * kept - normalX * into * WALL_BOUNCE;
	car.velocityY = at.tangentY * kept - normalY * into * WALL_BOUNCE;
	car.yawRateRadPerS *= .5;
	car.impactMps = Math.max(car.impactMps, into);
}
// src/net/join-race.ts
var ROOM_NAME = "race";
var FIRST_RETRY_MS = 1e3;
var LONGEST_RETRY_MS = 8e3;
/** The pause before the n-th try again (0, 1, 2, ...). */
function retryDelayMs(attempt) {
	return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt, 10));
}
/** Tries until it works or `signal` says stop; `onFailure` hears of every failure and of the pause after it. */
async function joinUntilItWorks(join, onFailure, signal) {
	for (let attempt = 0; !signal.aborted; attempt++) try {
		const room = await join();
		if (!signal.aborted) return room;
		room.leave();
	} catch (error) {
		if (signal.aborted) break;
		const delayMs = retryDelayMs(attempt);
		onFailure(error, delayMs);
		await pause(delayMs, signal);
	}
}
function pause(delayMs, signal) {
	return new Promise((resolve) => {
		const timer = setTimeout(resolve, delayMs);
		signal.addEventListener("abort", () => {
			clearTimeout(timer);
			resolve();
		});
	});
}
// src/race/progress.ts
/**
* How far another car has come, from where it is shown and from the laps it reports. The shown place moves smoothly
* but cannot know laps driven before we came; the reported laps can, but say nothing in between.
*/
var Progress = class {
	#track;
	#previousM;
	#unwrappedM = 0;
	constructor(track) {
		this.#track = track;
	}
	get distanceM() {
		return this.#unwrappedM;
	}
	show(x, y) {
		const at = projectOnTrack(this.#track, x, y).distanceM;
		if (this.#previousM === void 0) this.#unwrappedM = at > this.#track.lengthM * .8 ? at - this.#track.lengthM : at;
		else this.#unwrappedM += distanceDelta(this.#track, this.#previousM, at);
		this.#previousM = at;
	}
	/** `lapsDone` laps are certain: shifts by whole laps to agree, however far round the car is shown to be. */
	reportLaps(lapsDone) {
		const { lengthM } = this.#track;
		const excess = this.#unwrappedM - lapsDone * lengthM;
		this.#unwrappedM -= Math.floor((excess + lengthM * .2) / lengthM) * lengthM;
	}
	restart() {
		this.#previousM = void 0;
		this.#unwrappedM = 0;
	}
};
var MAX_PARTICIPANTS = 64;
var MAX_LAPS = 99;
var MAX_TIME_MS = 36e5;
/** No car drives a lap faster than this; who says so is not believed. */
var MIN_LAP_MS = 15e3;
function isRecord(value) {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
function isIntegerIn(value, low, high) {
	return typeof value === "number" && Number.isInteger(value) && value >= low && value <= high;
}
function isTimeIn(value, low, high) {
	return typeof value === "number" && value >= low && value <= high;
}
/** Text for the screen: control characters and runs of space become one space; undefined if nothing is left. */
function readText(value, maxLength) {
	if (typeof value !== "string") return void 0;
	const text = [...value.slice(0, maxLength * 8).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim()].slice(0, maxLength).join("").trim();
	return text === "" ? void 0 : text;
}
function readColor(value) {
	return typeof value === "string" && /^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : void 0;
}
function readDriverCard(value) {
	if (!isRecord(value)) return void 0;
	const name = readText(value["name"], 16);
	const color = readColor(value["color"]);
	if (name === void 0 || color === void 0) return void 0;
	return {
		name,
		color,
		isComputer: value["isComputer"] === true
	};
}
function readChat(value) {
	return isRecord(value) ? readText(value["text"], 160) : void 0;
}
function readLap(value) {
	if (!isRecord(value)) return void 0;
	const { race, lap, timeMs, totalMs } = value;
	if (!isIntegerIn(race, 0, 4294967295) || !isIntegerIn(lap, 1, MAX_LAPS)) return void 0;
	if (!isTimeIn(timeMs, MIN_LAP_MS, MAX_TIME_MS) || !isTimeIn(totalMs, timeMs, MAX_TIME_MS)) return void 0;
	return {
		race,
		lap,
		timeMs,
		totalMs
	};
}
function readEntry(value) {
	if (!isRecord(value)) return void 0;
	const { number, laps, totalMs, bestMs, finished } = value;
	if (!isIntegerIn(number, 0, 65535) || !isIntegerIn(laps, 0, MAX_LAPS)) return void 0;
	if (!isTimeIn(totalMs, 0, MAX_TIME_MS) || !isTimeIn(bestMs, 0, MAX_TIME_MS)) return void 0;
	return {
		number,
		laps,
		totalMs,
		bestMs,
		finished: finished === true
	};
}
function readAnnouncement(value) {
	if (!isRecord(value)) return void 0;
	const { race, phase, elapsedMs, laps, grid, entries } = value;
	if (phase !== "countdown" && phase !== "racing" && phase !== "results") return void 0;
	if (!isIntegerIn(race, 0, 4294967295) || !isIntegerIn(laps, 1, MAX_LAPS)) return void 0;
	if (!isTimeIn(elapsedMs, 0, MAX_TIME_MS)) return void 0;
	if (!Array.isArray(grid) || grid.length > MAX_PARTICIPANTS) return void 0;
	if (!grid.every((number) => isIntegerIn(number, 0, 65535))) return void 0;
	if (!Array.isArray(entries) || entries.length > MAX_PARTICIPANTS) return void 0;
	const checked = entries.map(readEntry);
	if (checked.includes(void 0)) return void 0;
	return {
		race,
		phase,
		elapsedMs,
		laps,
		grid,
		entries: checked
	};
}
// src/race/standings.ts
/** Finishers by time, then the others by laps and the time these took. */
function compareEntries(a, b) {
	if (a.finished !== b.finished) return a.finished ? -1 : 1;
	return b.laps - a.laps || a.totalMs - b.totalMs || a.number - b.number;
}
/** The order on the road: who has finished stays where it finished. */
function runningOrder(runners) {
	return [...runners].sort((a, b) => {
		if (a.entry?.finished === true || b.entry?.finished === true) {
			if (a.entry?.finished !== b.entry?.finished) return a.entry?.finished === true ? -1 : 1;
			return (a.entry?.totalMs ?? 0) - (b.entry?.totalMs ?? 0);
		}
		return b.progressM - a.progressM || a.number - b.number;
	});
}
var COUNTDOWN_MS = 6e3;
var RESULTS_MS = 12e3;
/** How long the race goes on after the first car has finished, and how long it may last at all. */
var AFTER_WINNER_MS = 3e4;
var LONGEST_RACE_MS = 3e5;
/** A newcomer who hears nothing from the director for this long, and is the oldest, starts a race itself. */
var SETTLE_MS = 600;
/**
* The race as one participant knows it. The relay holds no game state: the participant with the lowest number is the
* race director; it decides the phases and announces them, everybody follows. All keep the same books from the same
* messages, so that the next lowest can go on when the director leaves.
*/
var RaceSession = class {
	#room;
	#events;
	#entries = /* @__PURE__ */ new Map();
	#phase = "waiting";
	#phaseStartMs;
	#race = 0;
	#laps = 3;
	#grid = [];
	#winnerAtMs;
	constructor(room, nowMs, events = {}) {
		this.#room = room;
		this.#phaseStartMs = nowMs;
		this.#events = events;
	}
	get phase() {
		return this.#phase;
	}
	get race() {
		return this.#race;
	}
	get laps() {
		return this.#laps;
	}
	get entries() {
		return [...this.#entries.values()].sort(compareEntries);
	}
	entryOf(number) {
		return this.#entries.get(number);
	}
	elapsedMs(nowMs) {
		return Math.max(0, nowMs - this.#phaseStartMs);
	}
	remainingMs(nowMs) {
		const lasts = this.#phase === "countdown" ? COUNTDOWN_MS : RESULTS_MS;
		return Math.max(0, lasts - this.elapsedMs(nowMs));
	}
	isDirector() {
		return this.#room.peers.every((peer) => peer.number > this.#room.myNumber);
	}
	/** Place on the grid: as announced, or behind everybody who was. */
	slotOf(number) {
		const announced = this.#grid.indexOf(number);
		if (announced >= 0) return announced;
		const newcomers = this.#present().filter((other) => !this.#grid.includes(other) && other < number);
		return this.#grid.length + newcomers.length;
	}
	/** Lamps lit, 0 to 5. */
	lamps(nowMs) {
		return this.#phase === "countdown" ? Math.min(5, Math.floor(this.elapsedMs(nowMs) / 900)) : 0;
	}
	/** Called every frame or so: moves on when it is time to. */
	update(nowMs) {
		const elapsed = this.elapsedMs(nowMs);
		if (this.#phase === "countdown" && elapsed >= 6e3) {
			this.#enter("racing", this.#phaseStartMs + COUNTDOWN_MS);
			if (this.isDirector()) this.announce(nowMs);
		}
		if (!this.isDirector()) return;
		if (this.#phase === "waiting" && elapsed >= SETTLE_MS) this.#startRace(nowMs);
		if (this.#phase === "results" && elapsed >= RESULTS_MS) this.#startRace(nowMs);
		if (this.#phase === "racing" && this.#isOver(nowMs)) {
			this.#enter("results", nowMs);
			this.announce(nowMs);
		}
	}
	/** As director: says where the race is, to all or to a newcomer. */
	announce(nowMs, to) {
		if (this.#phase === "waiting") return;
		const announcement = {
			race: this.#race,
			phase: this.#phase,
			elapsedMs: this.elapsedMs(nowMs),
			laps: this.#laps,
			grid: this.#grid,
			entries: this.entries
		};
		this.#room.send("race", announcement, to);
	}
	/** From the network. Only the director's word counts. */
	hear(announcement, from, nowMs) {
		const lowest = Math.min(this.#room.myNumber, ...this.#room.peers.map((peer) => peer.number));
		if (from.number > lowest) return;
		const startMs = nowMs - announcement.elapsedMs - (from.rttMs ?? 0) / 2;
		const sameGrid = announcement.grid.join() === this.#grid.join();
		const isNew = announcement.race !== this.#race || !sameGrid || this.#phase === "waiting";
		this.#race = announcement.race;
		this.#laps = announcement.laps;
		this.#grid = announcement.grid;
		if (isNew) this.#entries.clear();
		for (const entry of announcement.entries) this.#merge(entry);
		if (isNew && announcement.phase !== "countdown") this.#enter("countdown", startMs);
		if (isNew || announcement.phase !== this.#phase) this.#enter(announcement.phase, startMs);
	}
	/** A lap was driven: by us (`number` is ours) or by a peer. */
	recordLap(number, lap, nowMs) {
		if (lap.race !== this.#race) return;
		const before = this.#entries.get(number);
		const bestMs = before === void 0 || before.bestMs === 0 ? lap.timeMs : Math.min(before.bestMs, lap.timeMs);
		const finished = lap.lap >= this.#laps;
		this.#merge({
			number,
			laps: lap.lap,
			totalMs: lap.totalMs,
			bestMs,
			finished
		});
		if (finished) this.#winnerAtMs ??= nowMs;
	}
	/** A participant has gone: its result stays until the next race, unless it had none. */
	forget(number) {
		if (this.#entries.get(number)?.finished !== true) this.#entries.delete(number);
	}
	/** The room was joined anew: everybody's numbers have changed, and with them whose entry is whose. */
	renumber(myOldNumber) {
		const mine = this.#entries.get(myOldNumber);
		this.#entries.clear();
		if (mine !== void 0) this.#merge({
			...mine,
			number: this.#room.myNumber
		});
	}
	#merge(entry) {
		const before = this.#entries.get(entry.number);
		if (before === void 0 || entry.laps >= before.laps) this.#entries.set(entry.number, entry);
	}
	#present() {
		return [this.#room.myNumber, ...this.#room.peers.map((peer) => peer.number)].sort((a, b) => a - b);
	}
	#startRace(nowMs) {
		this.#grid = this.#nextGrid();
		this.#race = (this.#race + 1) % 4294967295;
		this.#entries.clear();
		this.#laps = 3;
		this.#enter("countdown", nowMs);
		this.announce(nowMs);
	}
	/** Reversed order of the last result, so that nobody drives alone in front; newcomers at the back. */
	#nextGrid() {
		const present = this.#present();
		const ranked = this.entries.map((entry) => entry.number).filter((number) => present.includes(number));
		const others = present.filter((number) => !ranked.includes(number));
		return [...ranked.reverse(), ...others];
	}
	#isOver(nowMs) {
		const all = this.#present().every((number) => this.#entries.get(number)?.finished === true);
		const waited = this.#winnerAtMs !== void 0 && nowMs - this.#winnerAtMs >= AFTER_WINNER_MS;
		return all || waited || this.elapsedMs(nowMs) >= LONGEST_RACE_MS;
	}
	#enter(phase, startMs) {
		this.#phase = phase;
		this.#phaseStartMs = startMs;
		if (phase === "countdown") {
			this.#winnerAtMs = void 0;
			this.#events.onGrid?.();
		}
		if (phase === "racing") this.#events.onGreen?.();
		if (phase === "results") this.#events.onResults?.();
	}
};
// src/car/contact.ts
/** A car is two discs, one per axle: round enough not to snag, long enough to block. */
var DISC_RADIUS_M = 1.12;
var DISC_OFFSET_M = 1.05;
var REACH_M = 4.34;
/** The part of an overlap that one step takes back: soft, since the other car is drawn where it was. */
var PUSH_OUT = .3;
var MAX_PUSH_M = .25;
/**
* Pushes only `car`, by half of what two equal cars would need: the other half is the other player's to apply.
* Returns the closing speed, 0 without contact.
*/
function pushApart(car, other) {
	if (Math.abs(car.x - other.x) > REACH_M || Math.abs(car.y - other.y) > REACH_M) return 0;
	let closing = 0;
	for (const mine of [DISC_OFFSET_M, -1.05]) for (const theirs of [DISC_OFFSET_M, -1.05]) closing = Math.max(closing, pushDiscs(car, mine, other, theirs));
	car.impactMps = Math.max(car.impactMps, closing);
	return closing;
}
function pushDiscs(car, mineM, other, theirsM) {
	const armX = Math.cos(car.headingRad) * mineM;
	const armY = Math.sin(car.headingRad) * mineM;
	const dx = car.x + armX - (other.x + Math.cos(other.headingRad) * theirsM);
	const dy = car.y + armY - (other.y + Math.sin(other.headingRad) * theirsM);
	const distance = Math.hypot(dx, dy);
	const overlap = 2 * DISC_RADIUS_M - distance;
	if (overlap <= 0) return 0;
	const normalX = distance > 1e-6 ? dx / distance : Math.cos(car.headingRad);
	const normalY = distance > 1e-6 ? dy / distance : Math.sin(car.headingRad);
	const push = Math.min(MAX_PUSH_M, overlap * PUSH_OUT);
	car.x += normalX * push;
	car.y += normalY * push;
	const closing = -((car.velocityX - other.velocityX) * normalX + (car.velocityY - other.velocityY) * normalY);
	if (closing <= 0) return 0;
	const impulse = closing * 1.25 / 2;
	car.velocityX += normalX * impulse;
	car.velocityY += normalY * impulse;
	car.yawRateRadPerS += .35 * impulse * (armX * normalY - armY * normalX) / carParameters.yawInertiaM2;
	return closing;
}
// src/track/control-points.ts
var point = (x, y, halfWidthM) => ({
	x,
	y,
	halfWidthM
});
var controlPoints = [
	point(-118, -92, 7.5),
	point(-70, -92, 7.5),
	point(-20, -92, 7.5),
	point(30, -92, 7.5),
	point(80, -91, 7.5),
	point(126, -82, 7.5),
	point(152, -48, 7),
	point(150, -4, 6.5),
	point(120, 22, 6.5),
	point(80, 14, 6.5),
	point(48, -14, 6.5),
	point(14, -34, 7),
	point(-20, -44, 8),
	point(-48, -28, 8.5),
	point(-38, 2, 7.5),
	point(-4, 24, 6.5),
	point(26, 48, 6.5),
	point(32, 84, 7),
	point(2, 106, 7),
	point(-34, 107, 6.5),
	point(-62, 107, 6.5),
	point(-77, 90, 6.5),
	point(-94, 74, 6.5),
	point(-118, 75, 6.5),
	point(-146, 76, 6.5),
	point(-174, 58, 7),
	point(-182, 22, 7),
	point(-170, -10, 7),
	point(-180, -44, 7),
	point(-172, -76, 7.5),
	point(-148, -92, 7.5)
];
// src/track/circuit.ts
var START_LINE_M = 52;
/** Beds lie on the outside of the corners that are braked for hardest. Distances from the start line. */
var gravelBeds = [
	{
		fromM: 190,
		toM: 292,
		side: -1
	},
	{
		fromM: 402,
		toM: 466,
		side: 1
	},
	{
		fromM: 556,
		toM: 634,
		side: -1
	},
	{
		fromM: 664,
		toM: 692,
		side: -1
	},
	{
		fromM: 704,
		toM: 738,
		side: 1
	},
	{
		fromM: 772,
		toM: 830,
		side: -1
	},
	{
		fromM: 918,
		toM: 976,
		side: -1
	}
];
function buildCircuit() {
	const track = buildTrack(controlPoints, START_LINE_M);
	return {
		name: "Paceline Ring",
		track,
		roadside: buildRoadside(track, gravelBeds),
		gravelBeds,
		wallDistanceM: 30
	};
}
var circuit = buildCircuit();
var FIRST_SLOT_BEHIND_LINE_M = 7;
var SLOT_SPACING_M = 7.5;
var SLOT_OFFSET_M = 3.2;
/** The staggered grid: slot 0 is pole, on the left, which is the outside of turn 1's entry. */
function gridSlot(track, slot) {
	return poseOnTrack(track, -(FIRST_SLOT_BEHIND_LINE_M + slot * SLOT_SPACING_M), slot % 2 === 0 ? -3.2 : SLOT_OFFSET_M);
}
// src/race/lap-counter.ts
var GATE_COUNT = 16;
/** A gate reaches this far beyond the road's edges: running wide is allowed, cutting is not. */
var GATE_MARGIN_M = 5;
/** No car moves further than this along the track in one step; a larger jump is a short cut. */
var MAX_STEP_M = 6;
/**
* Counts laps by gates that must be crossed in order, forwards. Gate 0 is the start line. Reversing over a gate does
* not undo it and crossing it again does not count twice, as only the next gate is looked for.
*/
var LapCounter = class {
	#track;
	#previousM;
	#nextGate = 1;
	#lapsDone = 0;
	#lapStartStep = 0;
	#step = 0;
	#unwrappedM;
	at;
	constructor(track, x, y) {
		this.#track = track;
		this.at = projectOnTrack(track, x, y);
		this.#previousM = this.at.distanceM;
		this.#unwrappedM = this.at.distanceM > track.lengthM / 2 ? this.at.distanceM - track.lengthM : this.at.distanceM;
	}
	get lapsDone() {
		return this.#lapsDone;
	}
	/** Steps since the start, whichever lap. */
	get steps() {
		return this.#step;
	}
	/** Steps since the current lap began. */
	get lapSteps() {
		return this.#step - this.#lapStartStep;
	}
	/** Metres since the start, less behind the line; a counted lap is worth exactly one track length. */
	get progressM() {
		return this.#unwrappedM;
	}
	/** After every step of the car. The way from the grid to the line is part of lap 1, in time too. */
	advance(x, y, stepMs) {
		this.#step++;
		this.at = projectOnTrack(this.#track, x, y);
		const movedM = distanceDelta(this.#track, this.#previousM, this.at.distanceM);
		const previousM = this.#previousM;
		this.#previousM = this.at.distanceM;
		this.#unwrappedM += movedM;
		if (movedM <= 0 || movedM > MAX_STEP_M || Math.abs(this.at.offsetM) > this.at.halfWidthM + GATE_MARGIN_M) return;
		const spacingM = this.#track.lengthM / GATE_COUNT;
		const before = Math.floor(previousM / spacingM);
		const now = Math.floor(this.at.distanceM / spacingM) % GATE_COUNT;
		if (now === before % GATE_COUNT) return void 0;
		if (now === 0) return this.#crossLine(stepMs);
		if (now === this.#nextGate) this.#nextGate++;
	}
	#crossLine(stepMs) {
		const complete = this.#nextGate === GATE_COUNT;
		const justStarted = this.#nextGate === 1;
		this.#nextGate = 1;
		if (!complete && justStarted) return void 0;
		if (!complete) {
			this.#unwrappedM = this.#lapsDone * this.#track.lengthM + this.at.distanceM;
			return { kind: "missed-gate" };
		}
		this.#lapsDone++;
		this.#unwrappedM = this.#lapsDone * this.#track.lengthM + this.at.distanceM;
		const timeMs = this.lapSteps * stepMs;
		this.#lapStartStep = this.#step;
		return {
			kind: "lap",
			lap: this.#lapsDone,
			timeMs
		};
	}
	/** Metres along the lap where the last gate in order stands: where a car is put back. */
	get lastGateM() {
		return (this.#nextGate - 1) * this.#track.lengthM / GATE_COUNT;
	}
	/** The car was put elsewhere: no gate is crossed by that. */
	moveTo(x, y) {
		this.at = projectOnTrack(this.#track, x, y);
		this.#unwrappedM += distanceDelta(this.#track, this.#previousM, this.at.distanceM);
		this.#previousM = this.at.distanceM;
	}
};
// src/race/racer.ts
/** After a start or a reset a car passes through others, so that nobody starts inside somebody. */
var GHOST_STEPS = 150;
/** The own car in the race: one fixed step at a time. */
var Racer = class {
	circuit;
	car;
	laps;
	/** On the grid before green: the engine may roar, the car stays. */
	isHeld = false;
	/** Pose before the last step, for drawing between steps. */
	previous;
	#ghostSteps = GHOST_STEPS;
	constructor(circuit, slot) {
		this.circuit = circuit;
		this.car = carAt(gridSlot(circuit.track, slot));
		this.previous = {
			x: this.car.x,
			y: this.car.y,
			headingRad: this.car.headingRad
		};
		this.laps = new LapCounter(circuit.track, this.car.x, this.car.y);
	}
	get isGhost() {
		return this.#ghostSteps > 0;
	}
	placeOnGrid(slot) {
		this.#putAt(gridSlot(this.circuit.track, slot));
		this.laps = new LapCounter(this.circuit.track, this.car.x, this.car.y);
	}
	/** Back onto the middle of the road where the car left it, not ahead of the next gate. */
	resetToTrack() {
		this.#putAt(poseOnTrack(this.circuit.track, this.laps.at.distanceM));
		this.laps.moveTo(this.car.x, this.car.y);
	}
	step(input, others) {
		const { car } = this;
		this.previous.x = car.x;
		this.previous.y = car.y;
		this.previous.headingRad = car.headingRad;
		if (this.isHeld) {
			car.throttle = Math.max(0, input.throttle);
			car.steer = input.steer;
			return;
		}
		stepCar(car, input, this.circuit);
		if (this.#ghostSteps > 0) this.#ghostSteps--;
		else for (const other of others) pushApart(car, other);
		return this.laps.advance(car.x, car.y, STEP_MS);
	}
	#putAt(pose) {
		Object.assign(this.car, carAt(pose));
		Object.assign(this.previous, pose);
		this.#ghostSteps = GHOST_STEPS;
	}
};
// src/net/car-entity.ts
/** What of a car travels: enough to draw it, to predict it and to see what its driver is doing. */
var Car = defineEntity("car", {
	position: vec2({
		range: [-2048, 2048],
		precision: .01,
		unit: "m"
	}),
	velocity: vec2({
		range: [-120, 120],
		precision: .01,
		unit: "m/s"
	}),
	heading: angle({
		precision: .002,
		unit: "rad"
	}),
	steer: scalar({
		range: [-1, 1],
		precision: 1 / 127
	}),
	throttle: scalar({
		range: [-1, 1],
		precision: 1 / 127
	}),
	handbrake: flag()
}, {
	motion: "velocity",
	threshold: {
		position: .1,
		heading: .035
	}
});
function spawnCar(room, car) {
	return room.spawn(Car, {
		position: {
			x: car.x,
			y: car.y
		},
		heading: car.headingRad
	});
}
/** After every step; what is sent of it, and when, is the SDK's decision. */
function publishCar(entity, car) {
	entity.position.set(car.x, car.y);
	entity.velocity.set(car.velocityX, car.velocityY);
	entity.heading = car.headingRad;
	entity.steer = car.steer;
	entity.throttle = car.throttle;
	entity.handbrake = car.handbrake;
}
// src/net/remote-car.ts
/** Older than this, a car's owner has probably gone quiet: it is drawn as a ghost and cannot be hit. */
var STALE_AFTER_MS = 4e3;
// src/net/participant.ts
var UNKNOWN_COLOR = "#9aa3ad";
/** A participant in a race room, human or computer: its car, its books, and its side of the conversation. */
var Participant = class {
	room;
	racer;
	session;
	card;
	#entity;
	#events;
	#now;
	#cards = /* @__PURE__ */ new Map();
	#progress = /* @__PURE__ */ new Map();
	#unsubscribe;
	#sessionId;
	#myNumber;
	#tick = 0;
	#totalMs = 0;
	/** The others' cars as shown in this frame. */
	remotes = [];
	bestLapMs = 0;
	lastLapMs = 0;
	constructor(room, circuit, card, now, events = {}) {
		this.room = room;
		this.card = card;
		this.#now = now;
		this.#events = events;
		this.#sessionId = room.sessionId;
		this.#myNumber = room.myNumber;
		this.session = new RaceSession(room, now(), {
			onGrid: () => this.#toGrid(),
			onGreen: () => this.#green(),
			onResults: () => events.onResults?.()
		});
		this.racer = new Racer(circuit, this.session.slotOf(room.myNumber));
		this.#entity = spawnCar(room, this.racer.car);
		this.#unsubscribe = this.#listen();
		room.send("driver", card);
	}
	/** One fixed step of the own car, told to the others. */
	step(input) {
		const event = this.racer.step(input, this.session.phase === "racing" ? this.#solidCars() : []);
		if (event?.kind === "missed-gate" && this.session.phase === "racing") this.#events.onMissedGate?.();
		if (event?.kind === "lap") this.#ownLap(event.lap, event.timeMs);
		publishCar(this.#entity, this.racer.car);
		this.room.advance(this.#tick++);
	}
	/** Time that was not simulated: the page was hidden, or the machine too slow. Ticks go on with time. */
	skip(steps) {
		this.#tick += steps;
	}
	/** Phases and the others' progress; once per frame. */
	update() {
		this.session.update(this.#now());
		this.remotes = this.#readRemotes();
		for (const remote of this.remotes) this.#progressOf(remote.ownerId).show(remote.x, remote.y);
	}
	get finished() {
		return this.session.entryOf(this.room.myNumber)?.finished === true;
	}
	#readRemotes() {
		const cars = [];
		for (const entity of this.room.entities(Car)) {
			if (entity.isMine) continue;
			const { shown, owner } = entity;
			const { x, y } = shown.position;
			if (!Number.isFinite(x + y + shown.heading)) continue;
			const card = this.cardOf(owner);
			cars.push({
				id: entity.id,
				ownerId: owner.id,
				number: owner.number,
				...card,
				x,
				y,
				headingRad: shown.heading,
				velocityX: shown.velocity.x,
				velocityY: shown.velocity.y,
				steer: shown.steer,
				throttle: shown.throttle,
				handbrake: shown.handbrake,
				ageMs: entity.ageMs
			});
		}
		return cars;
	}
	/** The cars that can be touched: those whose place is current. */
	#solidCars() {
		return this.remotes.filter((remote) => remote.ageMs < STALE_AFTER_MS);
	}
	cardOf(peer) {
		return this.#cards.get(peer.id) ?? {
			name: `Driver ${peer.number}`,
			color: UNKNOWN_COLOR,
			isComputer: false
		};
	}
	/** Everybody in the race, first to last. */
	standings() {
		return runningOrder([{
			number: this.room.myNumber,
			progressM: this.racer.laps.progressM,
			entry: this.session.entryOf(this.room.myNumber),
			card: this.card,
			isMine: true
		}, ...this.room.peers.map((peer) => ({
			number: peer.number,
			progressM: this.#progressOf(peer.id).distanceM,
			entry: this.session.entryOf(peer.number),
			card: this.cardOf(peer),
			isMine: false
		}))]);
	}
	chat(text) {
		this.room.send("chat", { text });
	}
	dispose() {
		for (const stop of this.#unsubscribe) stop();
	}
	#listen() {
		const { room } = this;
		return [
			room.onMessage("race", (message, from) => {
				const announcement = readAnnouncement(message);
				if (announcement === void 0) return;
				this.session.hear(announcement, from, this.#now());
				for (const peer of room.peers) this.#reportLaps(peer);
			}),
			room.onMessage("lap", (message, from) => {
				const lap = readLap(message);
				if (lap === void 0) return;
				this.session.recordLap(from.number, lap, this.#now());
				this.#reportLaps(from);
				this.#events.onPeerLap?.(from, lap);
			}),
			room.onMessage("driver", (message, from) => {
				const card = readDriverCard(message);
				if (card !== void 0) this.#cards.set(from.id, card);
			}),
			room.onMessage("chat", (message, from) => {
				const text = readChat(message);
				const card = this.cardOf(from);
				if (text !== void 0) this.#events.onChat?.(card.name, card.color, text);
			}),
			room.onPeerJoin((peer) => {
				this.#noticeNewSession();
				room.send("driver", this.card, peer);
				if (this.session.isDirector()) this.session.announce(this.#now(), peer);
			}),
			room.onPeerLeave((peer) => {
				this.#cards.delete(peer.id);
				this.#progress.delete(peer.id);
				this.session.forget(peer.number);
			}),
			room.onReconnect(() => this.#noticeNewSession())
		];
	}
	/** After a server's restart the room is another one, and everybody has another number. */
	#noticeNewSession() {
		if (this.room.sessionId === this.#sessionId) return;
		this.session.renumber(this.#myNumber);
		this.#sessionId = this.room.sessionId;
		this.#myNumber = this.room.myNumber;
	}
	#progressOf(peerId) {
		let progress = this.#progress.get(peerId);
		if (progress === void 0) this.#progress.set(peerId, progress = new Progress(this.racer.circuit.track));
		return progress;
	}
	#reportLaps(peer) {
		const laps = this.session.entryOf(peer.number)?.laps ?? 0;
		if (laps > 0) this.#progressOf(peer.id).reportLaps(laps);
	}
	#ownLap(lap, timeMs) {
		this.#totalMs += timeMs;
		this.lastLapMs = timeMs;
		const isBest = this.bestLapMs === 0 || timeMs < this.bestLapMs;
		if (isBest) this.bestLapMs = timeMs;
		if (this.session.phase !== "racing" || this.finished) return;
		const message = {
			race: this.session.race,
			lap,
			timeMs,
			totalMs: this.#totalMs
		};
		this.session.recordLap(this.room.myNumber, message, this.#now());
		this.room.send("lap", message);
		this.#events.onOwnLap?.(message, isBest);
	}
	#toGrid() {
		this.racer.placeOnGrid(this.session.slotOf(this.room.myNumber));
		this.racer.isHeld = true;
		for (const progress of this.#progress.values()) progress.restart();
		this.#events.onGrid?.();
	}
	#green() {
		this.racer.isHeld = false;
		this.#totalMs = this.session.elapsedMs(this.#now());
		this.#events.onGreen?.();
	}
};
// src/track/racing-line.ts
/** The line keeps this far inside the road's edges: half a car and a little respect. */
var EDGE_MARGIN_M = 1.7;
var ROUNDS = 400;
/**
* Bends as little as the road allows: every point moves, along its normal, to where the path through its four
* neighbours changes its bend least, over and over, first with far neighbours and then with near ones.
*/
function buildRacingLine(track) {
	const offsetM = new Float64Array(track.count);
	for (const reach of [
		16,
		8,
		4
	]) for (let round = 0; round < ROUNDS; round++) relax(track, offsetM, reach);
	const x = new Float64Array(track.count);
	const y = new Float64Array(track.count);
	for (let i = 0; i < track.count; i++) {
		x[i] = lineX(track, offsetM, i);
		y[i] = lineY(track, offsetM, i);
	}
	return {
		offsetM,
		x,
		y,
		curvature: curvatureOf(track.count, x, y)
	};
}
var lineX = (track, offsetM, i) => track.x[i] - track.tangentY[i] * offsetM[i];
var lineY = (track, offsetM, i) => track.y[i] + track.tangentX[i] * offsetM[i];
function relax(track, offsetM, reach) {
	const { count } = track;
	const wish = (coordinate, i) => {
		const at = (step) => coordinate(track, offsetM, (i + step * reach + count) % count);
		return (4 * (at(-1) + at(1)) - at(-2) - at(2)) / 6;
	};
	for (let i = 0; i < count; i++) {
		const wanted = (wish(lineX, i) - track.x[i]) * -track.tangentY[i] + (wish(lineY, i) - track.y[i]) * track.tangentX[i];
		const limit = track.halfWidthM[i] - EDGE_MARGIN_M;
		const moved = offsetM[i] + (wanted - offsetM[i]) * .5;
		offsetM[i] = Math.max(-limit, Math.min(limit, moved));
	}
}
function curvatureOf(count, x, y) {
	const at = (i) => {
		const index = (i + count) % count;
		return {
			x: x[index],
			y: y[index]
		};
	};
	const raw = Float64Array.from({ length: count }, (_, i) => turnBetween(at(i - 3), at(i), at(i + 3)));
	return Float64Array.from({ length: count }, (_, i) => {
		const near = [
			-2,
			-1,
			0,
			1,
			2
		].map((step) => raw[(i + step + count) % count]);
		return near.reduce((sum, value) => sum + value, 0) / near.length;
	});
}
// src/track/speed-profile.ts
/** The speed at every sample: what its bend allows, lowered where the braking for a later bend has to begin. */
function buildSpeedProfile(track, line, limits) {
	const { count, spacingM } = track;
	const speed = Float64Array.from(line.curvature, (curvature) => Math.min(limits.topMps, Math.sqrt(limits.sidewaysMps2 / Math.max(1e-6, Math.abs(curvature)))));
	for (let step = 2 * count; step > 0; step--) {
		const i = step % count;
		const next = speed[(i + 1) % count];
		const reachable = Math.sqrt(next * next + 2 * limits.brakingMps2 * spacingM);
		if (speed[i] > reachable) speed[i] = reachable;
	}
	return speed;
}
// src/drivers/racecraft.ts
/** Skills from quick to gentle. A fifth driver and later ones start over, slightly slower. */
var skills = [
	{
		pace: .965,
		lineOffsetM: .3,
		reactionS: .18
	},
	{
		pace: .93,
		lineOffsetM: -.6,
		reactionS: .3
	},
	{
		pace: .9,
		lineOffsetM: .9,
		reactionS: .24
	},
	{
		pace: .87,
		lineOffsetM: -.2,
		reactionS: .42
	}
];
function skillOf(index) {
	const skill = skills[index % skills.length];
	const slower = Math.floor(index / skills.length) * .03;
	return {
		...skill,
		pace: skill.pace - slower
	};
}
var sharedLine;
function planRace(circuit, skill) {
	sharedLine ??= buildRacingLine(circuit.track);
	const grip = carParameters.grip * 9.81;
	const speedMps = buildSpeedProfile(circuit.track, sharedLine, {
		sidewaysMps2: grip * .94 * skill.pace * skill.pace,
		brakingMps2: carParameters.brakeMps2 * .74 * skill.pace,
		topMps: 60
	});
	return {
		line: sharedLine,
		speedMps
	};
}
// src/drivers/computer-driver.ts
var SEES_AHEAD_M = 32;
var CAR_LANE_M = 2.5;
var STUCK_SPEED_MPS = 1.5;
var STUCK_AFTER_S = 1.6;
var REVERSE_FOR_S = 1.3;
var GIVE_UP_AFTER_S = 7;
/**
* A driver that sees what a player sees: its own car, the track, where the others are shown.
* Follows the racing line by pure pursuit, passes slower cars on the roomier side, frees itself when stuck.
*/
var ComputerDriver = class {
	#circuit;
	#plan;
	#skill;
	#shiftM = 0;
	#stuckS = 0;
	#troubleS = 0;
	#reverseS = 0;
	#goingS = 0;
	constructor(circuit, skill) {
		this.#circuit = circuit;
		this.#skill = skill;
		this.#plan = planRace(circuit, skill);
	}
	/** `pace` below 1 drives gently: cooling down after the flag. */
	decide(car, others, pace = 1) {
		this.#goingS += STEP_S;
		const at = projectOnTrack(this.#circuit.track, car.x, car.y);
		const traffic = this.#lookAhead(car, at, others);
		const settling = 1 - Math.exp(-STEP_S * 3);
		this.#shiftM += (traffic.shiftM - this.#shiftM) * settling;
		if (this.#goingS < this.#skill.reactionS) return {
			steer: 0,
			throttle: 0,
			handbrake: false,
			reset: false
		};
		return this.#freeItself(car) ?? this.#follow(car, at, Math.min(traffic.speedLimitMps, 60), pace);
	}
	/** Before a start: forget what went before, react anew at the next green light. */
	rest() {
		this.#goingS = 0;
		this.#stuckS = 0;
		this.#troubleS = 0;
		this.#reverseS = 0;
		this.#shiftM = 0;
	}
	#follow(car, at, speedLimitMps, pace) {
		const { track } = this.#circuit;
		const speed = Math.max(0, forwardSpeedOf(car));
		const aimM = 5 + speed * .34;
		const index = sampleIndexAt(track, at.distanceM + aimM);
		const room = track.halfWidthM[index] - 1.3;
		const offset = clamp(this.#plan.line.offsetM[index] + this.#skill.lineOffsetM + this.#shiftM, -room, room);
		const targetX = track.x[index] - track.tangentY[index] * offset;
		const targetY = track.y[index] + track.tangentX[index] * offset;
		const bearing = wrapAngle(Math.atan2(targetY - car.y, targetX - car.x) - car.headingRad);
		const distance = Math.hypot(targetX - car.x, targetY - car.y);
		const steer = clamp(Math.atan(5 * Math.sin(bearing) / Math.max(3, distance)) * (1 + speed * speed / 900) * 1.15 / steerLockRad(speed), -1, 1);
		const here = this.#plan.speedMps[sampleIndexAt(track, at.distanceM + speed * .12)];
		const offLine = Math.abs(at.offsetM) > at.halfWidthM ? .75 : 1;
		return {
			steer,
			throttle: throttleFor(Math.min(here * pace * offLine, speedLimitMps) - speed, car),
			handbrake: false,
			reset: false
		};
	}
	#lookAhead(car, at, others) {
		const traffic = {
			shiftM: 0,
			speedLimitMps: Infinity
		};
		const speed = speedOf(car);
		let nearestM = SEES_AHEAD_M;
		for (const other of others) {
			const theirs = projectOnTrack(this.#circuit.track, other.x, other.y);
			const aheadM = distanceDelta(this.#circuit.track, at.distanceM, theirs.distanceM);
			const closing = speed - Math.hypot(other.velocityX, other.velocityY);
			if (aheadM < -3 || aheadM > nearestM || closing < -2 && aheadM > 8) continue;
			nearestM = Math.max(0, aheadM);
			traffic.shiftM = this.#passingShift(at, theirs, aheadM);
			const lapping = Math.abs(theirs.offsetM - at.offsetM) < CAR_LANE_M * .85;
			const gapM = aheadM - 5.5;
			traffic.speedLimitMps = lapping && aheadM > 3 && closing > 0 && gapM < closing * .9 ? Math.max(3, speed - closing + Math.max(0, gapM)) : Infinity;
		}
		return traffic;
	}
	/** How far to leave the line so as to pass `theirs` on the side with more room. */
	#passingShift(at, theirs, aheadM) {
		const index = sampleIndexAt(this.#circuit.track, theirs.distanceM);
		const lineM = this.#plan.line.offsetM[index] + this.#skill.lineOffsetM;
		const room = theirs.halfWidthM - 1.3;
		const preferred = aheadM < 6 ? at.offsetM : at.offsetM * .4 + lineM * .6;
		const right = theirs.offsetM + CAR_LANE_M;
		const left = theirs.offsetM - CAR_LANE_M;
		if (lineM >= right || lineM <= left) return 0;
		return (left < -room || right <= room && preferred >= theirs.offsetM ? right : left) - lineM;
	}
	#freeItself(car) {
		const slow = speedOf(car) < STUCK_SPEED_MPS;
		this.#troubleS = slow || this.#reverseS > 0 ? this.#troubleS + STEP_S : Math.max(0, this.#troubleS - STEP_S * 2);
		if (this.#troubleS > GIVE_UP_AFTER_S) {
			this.#troubleS = 0;
			this.#stuckS = 0;
			this.#reverseS = 0;
			return {
				steer: 0,
				throttle: 0,
				handbrake: false,
				reset: true
			};
		}
		if (this.#reverseS > 0) {
			this.#reverseS -= STEP_S;
			return {
				steer: this.#reverseSteer(car),
				throttle: -.8,
				handbrake: false,
				reset: false
			};
		}
		this.#stuckS = slow ? this.#stuckS + STEP_S : 0;
		if (this.#stuckS > STUCK_AFTER_S) {
			this.#stuckS = 0;
			this.#reverseS = REVERSE_FOR_S;
		}
	}
	/** Backwards the nose goes the other way: steer so that it ends up pointing along the track. */
	#reverseSteer(car) {
		return wrapAngle(projectOnTrack(this.#circuit.track, car.x, car.y).headingRad - car.headingRad) > 0 ? -.8 : .8;
	}
};
function throttleFor(missingMps, car) {
	if (missingMps < -1) return clamp(missingMps * .28, -1, -.15);
	if (missingMps < 0) return 0;
	return clamp(missingMps * .5 + .25, 0, 1) * (1 - .6 * car.rearSlide);
}
// src/drivers/driver-client.ts
/** After the flag, the way home is driven at this share of the pace. */
var COOL_DOWN_PACE = .6;
/** A process that was asleep does not race to catch up. */
var MAX_CATCH_UP_MS = 200;
/** One computer driver in its own connection: joins, races, joins again when it has been thrown out. */
var DriverClient = class {
	#server;
	#identity;
	#driver;
	#stopping = new AbortController();
	#report;
	#participant;
	#accumulatedMs = 0;
	constructor(server, index, identity, report) {
		this.#server = server;
		this.#identity = identity;
		this.#driver = new ComputerDriver(circuit, skillOf(index));
		this.#report = report;
	}
	async start() {
		const room = await joinUntilItWorks(() => this.#join(), (error, retryInMs) => this.#report(`cannot join (${messageOf(error)}), next try in ${retryInMs} ms`), this.#stopping.signal);
		if (room !== void 0) this.#enter(room);
	}
	/** Called by the one timer that all drivers of the process share. */
	advance(elapsedMs) {
		const participant = this.#participant;
		if (participant === void 0) return;
		const kept = Math.min(elapsedMs, MAX_CATCH_UP_MS);
		participant.skip(Math.floor((elapsedMs - kept) / STEP_MS));
		this.#accumulatedMs += kept;
		if (this.#accumulatedMs < 16.666666666666668) return;
		participant.update();
		while (this.#accumulatedMs >= STEP_MS) {
			this.#accumulatedMs -= STEP_MS;
			this.#step(participant);
		}
	}
	stop() {
		this.#stopping.abort();
		const participant = this.#participant;
		this.#participant = void 0;
		participant?.dispose();
		participant?.room.leave();
	}
	#join() {
		return new Client(this.#server, {
			profile: "racing",
			webSocket: NodeWebSocket
		}).joinOrCreate(ROOM_NAME);
	}
	#enter(room) {
		this.#accumulatedMs = 0;
		this.#participant = new Participant(room, circuit, {
			...this.#identity,
			isComputer: true
		}, () => performance.now(), { onGrid: () => this.#driver.rest() });
		this.#report(`joined as number ${room.myNumber}`);
		room.onDrop((reason) => this.#report(`connection lost (${reason}), reconnecting`));
		room.onReconnect(({ resumed }) => this.#report(resumed ? "connected again" : "connected again to a new room"));
		room.onLeave((code, reason) => this.#onLeave(code, reason));
	}
	#onLeave(code, reason) {
		this.#participant?.dispose();
		this.#participant = void 0;
		if (this.#stopping.signal.aborted) return;
		this.#report(`left (${code} ${reason}), joining again`);
		this.start();
	}
	#step(participant) {
		const { racer, session, remotes } = participant;
		if (!(session.phase === "racing" || session.phase === "results")) {
			participant.step(idleInput);
			return;
		}
		const others = remotes.filter((remote) => remote.ageMs < STALE_AFTER_MS);
		const isOver = participant.finished || session.phase === "results";
		const decision = this.#driver.decide(racer.car, others, isOver ? COOL_DOWN_PACE : 1);
		if (decision.reset) racer.resetToTrack();
		participant.step(decision);
	}
};
function messageOf(error) {
	return error instanceof Error ? error.message : String(error);
}
// src/drivers/driver-options.ts
var DEFAULT_COUNT = 4;
var MAX_COUNT = 5;
var usage = `Usage: node dist-drivers/main.js --server http://127.0.0.1:PORT [--count 1..${MAX_COUNT}]`;
/** Names and colours of the computer drivers, in the order of their skill. */
var computerDrivers = [
	{
		name: "Vela",
		color: "#14b8c4"
	},
	{
		name: "Bruno",
		color: "#9b51e0"
	},
	{
		name: "Ines",
		color: "#f2b632"
	},
	{
		name: "Otto",
		color: "#27ae60"
	},
	{
		name: "Mika",
		color: "#ff7ab6"
	}
];
/** Throws with a sentence for the person at the terminal. */
function readOptions(argv) {
	const values = /* @__PURE__ */ new Map();
	for (let i = 0; i < argv.length; i += 2) {
		const [name, value] = [argv[i], argv[i + 1]];
		if (name !== "--server" && name !== "--count") throw new Error(`unknown option ${name}`);
		if (value === void 0) throw new Error(`${name} needs a value`);
		values.set(name, value);
	}
	const server = values.get("--server");
	if (server === void 0 || !URL.canParse(server)) throw new Error("--server must be the address of the server");
	const count = Number(values.get("--count") ?? DEFAULT_COUNT);
	if (!Number.isInteger(count) || count < 1 || count > MAX_COUNT) throw new Error(`--count must be a whole number from 1 to ${MAX_COUNT}, not ${values.get("--count")}`);
	return {
		server,
		count
	};
}
// src/drivers/main.ts
/**
* The computer drivers: a Node process with several clients of the SDK, each in its own connection, so that a lone
* visitor finds a race going. `node dist-drivers/main.js --server http://127.0.0.1:8080 --count 4`
*/
/** Twice the rate of the steps, so that none waits long; each driver then takes the steps that are due. */
var TIMER_MS = 8;
var LEAVE_WITHIN_MS = 1500;
function parse() {
	try {
		return readOptions(process.argv.slice(2));
	} catch (error) {
		console.error(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
		process.exitCode = 2;
		return;
	}
}
function run({ server, count }) {
	const drivers = computerDrivers.slice(0, count).map((identity, index) => new DriverClient(server, index, identity, (line) => console.log(`${identity.name}: ${line}`)));
	for (const driver of drivers) driver.start();
	let lastMs = performance.now();
	const timer = setInterval(() => {
		const nowMs = performance.now();
		for (const driver of drivers) driver.advance(nowMs - lastMs);
		lastMs = nowMs;
	}, TIMER_MS);
	const stop = () => {
		clearInterval(timer);
		for (const driver of drivers) driver.stop();
		setTimeout(() => process.exit(0), LEAVE_WITHIN_MS).unref();
	};
	process.once("SIGTERM", stop);
	process.once("SIGINT", stop);
}
var options = parse();
if (options !== void 0) run(options);
export { __require as n, __commonJSMin as t };
