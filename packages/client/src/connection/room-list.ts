import { NetError, type ListAnswer, type RoomListing } from "@paceline/protocol";
import { fieldsOf } from "./match-request.js";
import { askServer, type MatchRequest, type Unchecked } from "./match-http.js";

/** Requests the list of rooms from the server. Rejects with {@link NetError}. */
export async function requestRooms(request: MatchRequest): Promise<RoomListing[]> {
  const { rooms }: Unchecked<ListAnswer> = fieldsOf(await askServer(request));
  const isList = Array.isArray(rooms) && rooms.every((room) => typeof fieldsOf(room).roomId === "string");
  if (isList) return rooms as RoomListing[];
  throw new NetError("match/bad-answer", "the server's answer is no list of rooms");
}
