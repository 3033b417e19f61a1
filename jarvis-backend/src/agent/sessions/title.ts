/** The title of a session before its first message. */
export const untitled = 'New chat'

/** Makes a session’s title: the first line of a message, at most 60 characters. */
export function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length <= 60 ? line : `${line.slice(0, 59).trimEnd()}…`.toWellFormed()
}
