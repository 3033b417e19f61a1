/** The name of pictures as a source. A picture may be the source of any word that came from no other source. */
import type { Call } from '../world.ts'
import type { Sources } from './source.ts'
export const pictureSource = 'picture'

/** The name, as a source, of texts of the prompt that no stranger wrote. `toolUseId` tells which text it is. */
export const promptSource = 'prompt'

/** The name, as a source, of the summary of the cluster that a model gets with each message. */
export const summarySource = 'cluster_state'

/** Returns the sources with the prompt's texts added to the results, for a call that could carry them out. */
export const withPrompt = (sources: Sources): Sources => ({
  ...sources,
  results: [...(sources.prompt ?? []), ...sources.results],
})

/**
 * Returns true if texts of strangers were read. Descriptions of attached tools do not count: they are part of each prompt, and an operator allowed
 * them.
 */
export const heardStrangers = ({ results, hasPictures }: Sources): boolean =>
  hasPictures === true ||
  results.some(
    ({ isComposed, isOwnNote, isDescription, toolName }) =>
      isComposed !== true && isOwnNote !== true && isDescription !== true && toolName !== summarySource,
  )

/** Returns the runs of letters and digits that are meaningful, without words such as `the`, `ist`, `of`. */
const tellingRuns = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((run) => run.length > 3 || /\p{N}/u.test(run))

/** Returns true if texts of strangers were read before a call, and the call's argument `text` has words that the operator did not write. */
export function repeatsOthers({ input, sources }: Pick<Call, 'input' | 'sources'>): boolean {
  if (sources === undefined) return false
  const heard = sources()
  if (!heardStrangers(heard)) return false
  const said = new Set(heard.operatorTexts.flatMap(tellingRuns))
  return typeof input.text !== 'string' || tellingRuns(input.text).some((run) => !said.has(run))
}
