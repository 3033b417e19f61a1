/** The names of a pattern's parameters: `/guest/:vmid` has `vmid`. */
export type ParamsOf<Pattern extends string> = Pattern extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [Param in Name | keyof ParamsOf<Rest>]: string }
  : Pattern extends `${string}:${infer Name}`
    ? { readonly [Param in Name]: string }
    : Readonly<Record<never, string>>

export type Params = Readonly<Record<string, string>>

/**
 * Returns the parameters in a path that fits the pattern; undefined if the path does not fit. Words of the pattern fit in capitals too. A parameter
 * fits any word.
 */
export function matchPath(pattern: string, pathname: string): Params | undefined {
  const wanted = wordsOf(pattern)
  const words = wordsOf(pathname)
  if (wanted.length !== words.length) return undefined
  const pairs = wanted.map((word, at) => [word, words[at] ?? ''] as const)
  const isParam = (word: string) => word.startsWith(':')
  const fits = pairs.every(([word, given]) => (isParam(word) ? given !== '' : word === given.toLowerCase()))
  if (!fits) return undefined
  return Object.fromEntries(pairs.filter(([word]) => isParam(word)).map(([word, given]) => [word.slice(1), given]))
}

/** Splits a path at its slashes. Each part is decoded, unless one of them cannot be decoded. Slashes at the end are ignored. */
function wordsOf(pathname: string): string[] {
  const words = pathname
    .replace(/(?<!\/)\/+$/, '')
    .split('/')
    .slice(1)
  try {
    return words.map((word) => decodeURIComponent(word))
  } catch {
    return words
  }
}
