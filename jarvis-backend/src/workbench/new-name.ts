import { extname } from 'node:path'

/** Converts a file name that somebody else chose to one of plain characters. */
export const nameOf = (offered: string): string => {
  const plain = offered.replace(/[^\w.-]+/g, '_').replace(/^[._-]+/, '')
  const kept = plain.slice(0, 80 - extname(plain).slice(0, 16).length) + extname(plain.slice(80)).slice(0, 16)
  return kept === '' ? 'file' : kept
}

/** The name itself, then the name with a number, for use if earlier ones are taken. */
export function namesFor(name: string): string[] {
  const end = extname(name)
  const numbered = (number: number) => `${name.slice(0, name.length - end.length)}-${number}${end}`
  return [name, ...Array.from({ length: 99 }, (_, at) => numbered(at + 2))]
}
