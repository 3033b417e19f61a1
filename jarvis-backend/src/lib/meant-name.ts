import { nearestName } from 'node-kit/nearest'

const mostChars = 200
/** Prefixes that other programs put before a tool’s name, joined with `_`. */
const spaces = /^(?:default_api|functions?|tools?|jarvis|mcp__jarvis)_{1,2}$/i

/**
 * Finds the known name that a model meant. The given name may have remains of a template around it (`functions.stop_vm:0`,
 * `stop_vm<|channel|>commentary`) or a typing error. Undefined if no known name is similar.
 */
export function meantName(given: string, known: readonly string[]): string | undefined {
  const [bare = ''] = given
    .slice(0, mostChars)
    .replaceAll(/["'`]/g, ' ')
    .trim()
    .split(/[<|｜[({,;\s]/)
  const parts = bare.split(/[.:/#]/)
  while (parts.length > 1 && /^\d*$/.test(parts.at(-1) ?? '')) parts.pop()
  const last = parts.at(-1) ?? ''
  const is = (name: string | undefined) => known.find((one) => one === name)
  const within = known.find((one) => last.endsWith(one) && spaces.test(last.slice(0, -one.length)))
  return is(given) ?? is(bare) ?? is(parts.findLast(is)) ?? within ?? nearestName(last, known)
}
