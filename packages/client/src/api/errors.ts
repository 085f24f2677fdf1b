export { ConfigError, NetError } from "@paceline/protocol";
