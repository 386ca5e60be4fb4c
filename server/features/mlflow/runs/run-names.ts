import { randomInt } from "node:crypto";

const adjectives =
  "able amber bold brave bright calm clear clever cool crisp curious dapper eager early fair fast fine fond free fresh gentle glad grand happy hardy honest humble jolly keen kind lively lucky mellow merry mild neat nimble noble placid plain polite proud quick quiet rapid rare ready rich round serene sharp shiny silent sleek smart smooth soft solid spry steady stoic sunny sweet swift tidy vivid warm wise witty young".split(
    " ",
  );
const animals =
  "ant ape asp auk bass bat bear bee boar bug calf carp cat chimp cod colt conch cow crab crane crow cub deer doe dolphin dove duck eel elk fawn finch fish flea fly foal fowl fox frog gnat goat goose grouse grub gull hare hawk hen hog horse hound jay kit kite koi lamb lark loon lynx mare midge mink mole moose moth mouse mule newt owl ox panda perch pig pug quail ram rat ray robin roo seal shad sheep shoat shrew shrike slug snail snipe sow squid stag stork swan toad trout vole wasp whale wolf worm wren yak zebra".split(
    " ",
  );

/** A name for a run whose client gave none, such as `swift-crane-412`. */
export function randomRunName(): string {
  return `${pick(adjectives)}-${pick(animals)}-${randomInt(1_000)}`;
}

function pick(words: readonly string[]): string {
  return words[randomInt(words.length)] ?? "";
}
