import { loadedSkills } from '../../loaded-skills.ts'
import type { FactMaker } from './fact-maker.ts'

/** Makes facts about skills whose text was folded. They tell the model that it can load the skills again. */
export const skillFacts: FactMaker = {
  kinds: ['skill'],
  make(before, entries) {
    const at = entries.at(-1)?.at ?? 0
    const loaded = [...loadedSkills(entries).keys()]
    const text = 'its text is not before you any more; load it again with use_skill before you go on with it'
    return [
      ...before.filter(({ of }) => !loaded.includes(of)),
      ...loaded.map((name) => ({ kind: 'skill', of: name, text, at })),
    ]
  },
}
