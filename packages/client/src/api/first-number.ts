export { firstNumber } from "@paceline/protocol";
