import type {
  BytesField,
  EnumField,
  GroupField,
  GrowingListField,
  ListField,
  MapField,
  StringField,
} from "./entity-composites.js";
import type {
  Field,
  FlagField,
  QuatField,
  QuatValue,
  Vec2Field,
  Vec2Value,
  Vec3Field,
  Vec3Value,
} from "./entity-fields.js";

/** The plain value of a field. */
export type ValueOf<F> = F extends Vec2Field
  ? Vec2Value
  : F extends Vec3Field
    ? Vec3Value
    : F extends QuatField
      ? QuatValue
      : F extends FlagField
        ? boolean
        : F extends EnumField<infer Name>
          ? Name
          : F extends StringField
            ? string
            : F extends BytesField
              ? Uint8Array
              : F extends ListField<infer Item> | GrowingListField<infer Item>
                ? readonly ValueOf<Item>[]
                : F extends MapField<infer Item>
                  ? ReadonlyMap<string, ValueOf<Item>>
                  : F extends GroupField<infer Members>
                    ? ValuesOf<Members>
                    : number;

/** The plain values of an entity's fields: `ValuesOf<typeof Car.fields>`. */
type ValuesOf<Fs extends Readonly<Record<string, Field>>> = {
  readonly [Name in keyof Fs]: ValueOf<Fs[Name]>;
};
