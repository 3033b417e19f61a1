import { callFacts } from './calls.ts'
import { denialFacts } from './denials.ts'
import type { FactMaker } from './fact-maker.ts'
import { listFacts } from './plans.ts'
import { skillFacts } from './skills.ts'
import { noteFacts, wordFacts } from './words.ts'

export { type FactMaker, factsAfter } from './fact-maker.ts'

/** The makers that need only the entries. Other makers read a store, such as the store of grants. */
export const entryFacts: readonly FactMaker[] = [callFacts, denialFacts, listFacts, skillFacts, noteFacts, wordFacts]
