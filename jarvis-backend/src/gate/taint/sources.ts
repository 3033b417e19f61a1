/** The name of pictures as a source: a picture may be the source of every word that came from nowhere else. */
import type { Call } from '../world.ts'
import type { Sources } from './source.ts'
export const pictureSource = 'picture'

/** The name of texts of the prompt that no stranger wrote. `toolUseId` tells which text it is. */
export const promptSource = 'prompt'

/** The name of the summary of the cluster that a model gets with each message. */
export const summarySource = 'cluster_state'

/** All texts that were read, for a call that can carry them out. */
export const withPrompt = (sources: Sources): Sources => ({
  ...sources,
  results: [...(sources.prompt ?? []), ...sources.results],
})

/** Returns whether texts of strangers were read. Descriptions of attached tools do not count: they stand in each prompt, and an operator allowed them. */
export const heardStrangers = ({ results, hasPictures }: Sources): boolean =>
  hasPictures === true ||
  results.some(
    ({ isComposed, isOwnNote, isDescription, toolName }) =>
      isComposed !== true && isOwnNote !== true && isDescription !== true && toolName !== summarySource,
  )

/** Runs of letters and digits that mean something: not `the`, `ist`, `of`. */
const tellingRuns = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((run) => run.length > 3 || /\p{N}/u.test(run))

/** Returns whether texts of strangers were read before a call, and its `text` has words that the operator did not write. */
export function repeatsOthers({ input, sources }: Pick<Call, 'input' | 'sources'>): boolean {
  if (sources === undefined) return false
  const heard = sources()
  if (!heardStrangers(heard)) return false
  const said = new Set(heard.operatorTexts.flatMap(tellingRuns))
  return typeof input.text !== 'string' || tellingRuns(input.text).some((run) => !said.has(run))
}
