import type { Call } from '../rule.ts'
import type { Sources } from './taint.ts'

/** A picture is a source of every word that came from nowhere else, under this name. */
export const pictureSource = 'picture'

/** Texts of the prompt that no stranger wrote are sources under this name; `toolUseId` says which. */
export const promptSource = 'prompt'

/** The summary of the cluster that a model is given with each message is a source as well, under this name. */
export const summarySource = 'cluster_state'

/** All that was read, for a call that can carry it out. */
export const withPrompt = (sources: Sources): Sources => ({
  ...sources,
  results: [...(sources.prompt ?? []), ...sources.results],
})

/** Whether texts of strangers were read. Descriptions of attached tools stand in each prompt, and an operator let them in. */
export const heardStrangers = ({ results, hasPictures }: Sources): boolean =>
  hasPictures === true ||
  results.some(
    ({ isComposed, isOwnNote, isDescription, toolName }) =>
      isComposed !== true && isOwnNote !== true && isDescription !== true && toolName !== summarySource,
  )

/** Runs of letters and digits that tell something: not `the`, `ist`, `of`. */
const tellingRuns = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((run) => run.length > 3 || /\p{N}/u.test(run))

/** Whether texts of strangers were read before a call, and its `text` says more than the operator's own words. */
export function repeatsOthers({ input, sources }: Pick<Call, 'input' | 'sources'>): boolean {
  if (sources === undefined) return false
  const heard = sources()
  if (!heardStrangers(heard)) return false
  const said = new Set(heard.operatorTexts.flatMap(tellingRuns))
  return typeof input.text !== 'string' || tellingRuns(input.text).some((run) => !said.has(run))
}
