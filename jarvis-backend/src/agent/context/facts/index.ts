import { callFacts } from './calls.ts'
import { denialFacts } from './denials.ts'
import type { FactMaker } from './fact-maker.ts'
import { listFacts } from './plans.ts'
import { skillFacts } from './skills.ts'
import { noteFacts, wordFacts } from './words.ts'

export { type FactMaker, factsAfter } from './fact-maker.ts'

/** The facts that entries alone tell. Further makers read a store, such as that of the grants. */
export const entryFacts: readonly FactMaker[] = [callFacts, denialFacts, listFacts, skillFacts, noteFacts, wordFacts]
