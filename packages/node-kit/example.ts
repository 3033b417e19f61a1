import { canonicalJson } from 'node-kit/canonical'
import { inTurns, type Steps } from 'node-kit/steps'

function* sum(numbers: readonly number[]): Steps<number> {
  let total = 0
  for (const number of numbers) {
    total += number
    yield undefined
  }
  return total
}

export const example = async (): Promise<string> => canonicalJson({ total: await inTurns(sum([1, 2, 3])) })
