/**
 * Words that say little about a text's subject. Negations are not in this list: "not" and "never" change the meaning, and a passage that contains
 * them should rank above one that does not.
 */
const stopWords: ReadonlySet<string> = new Set(
  `a about after all also am an and any are as at be been being but by can could did do does doing for from had has have
  he her him his how i if in into is it its just me my of on or our please she should so some such than that the their
  them then there these they this those to up us was we were what when where which while who why will with would you your`
    .split(/\s+/)
    .map(stemOf),
)

const longestWord = 64
/** Matches letters and digits. Compounds such as `10.0.0.5`, `ct/104`, `nic-eno1` and `2026-11-02` match as a whole; their parts are indexed too. */
const run = /[\p{L}\p{N}]+(?:[._:/@-][\p{L}\p{N}]+)*/gu
const joint = /[._:/@-]/
const marks = /\p{M}+/gu
const beyondAscii = /[^\0-\x7f]/

/**
 * Returns the words of a text in the form that the keyword index stores: lower case, without accents, without plural and other common English
 * endings, compounds both whole and in parts. Linear in the text's length.
 */
export function wordsOf(text: string): string[] {
  const found: string[] = []
  const plain = (beyondAscii.test(text) ? text.normalize('NFKD').replace(marks, '') : text).toLowerCase()
  for (const whole of plain.match(run) ?? []) {
    if (!joint.test(whole)) {
      if (whole.length <= longestWord) found.push(stemOf(whole))
      continue
    }
    if (whole.length <= longestWord) found.push(whole)
    for (const part of whole.split(joint)) if (part.length <= longestWord) found.push(stemOf(part))
  }
  return found
}

/** Returns the words of a query without stop words. If the query has only stop words, returns all of them. */
export function queryWords(text: string): string[] {
  const words = [...new Set(wordsOf(text))]
  const telling = words.filter((word) => !stopWords.has(word))
  return telling.length > 0 ? telling : words
}

/** Returns the words of a query that are not searched, because they are stop words and other words remain. */
export function ignoredWords(text: string): string[] {
  const telling = new Set(queryWords(text))
  return [...new Set(wordsOf(text))].filter((word) => !telling.has(word))
}

/**
 * Removes common endings: `backups` → `backup`, `rebooted` → `reboot`, `failing` → `fail`, `update` and `updated` → `updat`. It is cautious: a wrong
 * cut would merge two meanings.
 */
export function stemOf(word: string): string {
  const base = baseOf(word)
  return base.length > 4 && base.endsWith('e') ? base.slice(0, -1) : base
}

function baseOf(word: string): string {
  if (word.length < 5 || !'sdg'.includes(word.at(-1) ?? '') || /\d/.test(word)) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(?:ss|us|is)$/.test(word)) return word
  if (/(?:ches|shes|sses|xes)$/.test(word)) return word.slice(0, -2)
  if (word.endsWith('s')) return word.slice(0, -1)
  const cut = word.endsWith('ing') ? word.slice(0, -3) : word.endsWith('ed') ? word.slice(0, -2) : undefined
  if (cut === undefined || cut.length < 4 || !/[aeiouy]/.test(cut)) return word
  return /([bdfgmnprt])\1$/.test(cut) ? cut.slice(0, -1) : cut
}
