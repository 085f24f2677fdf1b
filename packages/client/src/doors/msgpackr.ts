export { useMsgpackr } from "@paceline/protocol/msgpackr";
