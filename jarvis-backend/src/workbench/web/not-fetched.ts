/** Why a page was not read, as the end of a sentence: `it took too long`. Part of ordinary life, and told to whoever asked. */
export class NotFetched extends Error {
  override name = 'NotFetched'
}
