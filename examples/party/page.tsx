// Shows the quiz with React: the room's entities are the state, and each frame reads them.
import { Client } from "@paceline/client";
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { PartyGame } from "./game.js";

const client = new Client(location.origin, { profile: "party" });
const room = await client.joinOrCreate("quiz");
const game = new PartyGame(room, `Guest ${room.myNumber}`);

/** Renders again ten times a second: a quiz needs no sixty. */
function useTicks(periodMs: number): void {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), periodMs);
    return () => clearInterval(timer);
  }, [periodMs]);
}

function Quiz(): React.JSX.Element {
  useTicks(100);
  const { question, quiz, me, guests } = game;
  const isShown = quiz.phase !== "asking";
  return (
    <>
      <h1>{quiz.phase === "over" ? "The end" : question.text}</h1>
      {question.answers.map((answer, choice) => (
        <button
          key={answer}
          type="button"
          aria-pressed={me.answer === choice}
          className={isShown && choice === question.right ? "right" : ""}
          onClick={() => game.answer(choice)}
        >
          {answer}
        </button>
      ))}
      <p id="status">{guests.length} players</p>
      <ol>
        {guests.map(({ id, name, score }) => (
          <li key={id}>
            {name}: {score}
          </li>
        ))}
      </ol>
    </>
  );
}

createRoot(document.querySelector("#quiz")!).render(<Quiz />);
