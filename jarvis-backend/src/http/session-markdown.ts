import { type Attachment, type Entry, isPicture } from 'protocol'

/**
 * Entries as Markdown for a person: questions, answers, and the calls and refusals between them. It starts with an empty line.
 * @param fileOf the bytes of an attached file
 * @param nameOf a person's name by id
 */
export const toMarkdown = (
  entries: readonly Entry[],
  fileOf: (id: string) => Buffer | undefined,
  nameOf: (id: string) => string = (id) => id,
): string =>
  entries
    .flatMap((entry) => toBlocks(named(entry, nameOf), fileOf))
    .map((block) => `\n${block}\n`)
    .join('')

/** Returns the entry with the name of the person who asked, decided or answered. */
const named = (entry: Entry, nameOf: (id: string) => string): Entry =>
  'by' in entry && entry.by !== undefined ? { ...entry, by: nameOf(entry.by) } : entry

/** Returns a file for the document. A picture becomes a `data:` URL. A text is put in a fence that is longer than any fence inside it. */
function attached(file: Attachment, fileOf: (id: string) => Buffer | undefined): string {
  const name = file.name.replace(/[[\]\\`<]/g, '_')
  const data = fileOf(file.id)
  if (data === undefined) return `- attached: ${name}, which is gone`
  if (isPicture(file)) return `![${name}](data:${file.mimeType};base64,${data.toString('base64')})`
  const text = data.toString()
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `- attached: ${name}\n\n${fence}text\n${text}\n${fence}`
}

/** Escapes text from other sources, so that a Markdown reader does not treat it as markup, a link or a picture to fetch. */
const plain = (text: string): string => text.replace(/[[<`]/g, '\\$&').replace(/\r?\n/g, ' ')

/** Returns a call as inline code, in more backticks than the call contains in a row. */
function callOf({ toolName, toolInput }: { toolName: string; toolInput: unknown }): string {
  const text = `${toolName} ${JSON.stringify(toolInput)}`
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const ticks = '`'.repeat(longest + 1)
  return longest === 0 ? `${ticks}${text}${ticks}` : `${ticks} ${text} ${ticks}`
}

function toBlocks(entry: Entry, fileOf: (id: string) => Buffer | undefined): string[] {
  const time = new Date(entry.at).toISOString()
  switch (entry.type) {
    case 'user':
      return [
        `## ${entry.by}${entry.via === undefined ? '' : ` over ${entry.via}`}, ${time}`,
        ...(entry.attachments ?? []).map((file) => attached(file, fileOf)),
        entry.text,
      ]
    case 'assistant':
      return entry.content.flatMap((item) => (item.type === 'text' ? [item.text] : []))
    case 'tool_use':
      return [
        `- ${callOf(entry)} (${entry.tier}${entry.grantId === undefined ? '' : `, under a grant of ${entry.by}`})`,
      ]
    case 'tool_result':
      return [`- ${entry.isError ? 'failed' : 'result'}: ${plain(entry.summary)}`]
    case 'confirm_needed':
      return [`- asked: ${callOf(entry)}, ${plain(entry.reason)}`]
    case 'confirm_resolved':
      return [
        `- ${entry.replacedBy === undefined ? entry.decision : 'card replaced'} by ${entry.by}${entry.note === undefined ? '' : `: ${entry.note}`}`,
      ]
    case 'question': {
      const asker = entry.server === undefined ? '' : ` by the server ${entry.server}`
      return [`- question${asker}: ${entry.items.map(({ text }) => text).join(' ')}`]
    }
    case 'question_resolved': {
      const typed = [entry.said, ...(entry.answers ?? []).map(({ text }) => text)].filter((one) => one !== undefined)
      return [`- question ${entry.end} by ${entry.by}${typed.length === 0 ? '' : `: ${typed.join('; ')}`}`]
    }
    case 'blocked':
      return [`- refused: ${callOf(entry)}, ${plain(entry.reason)}`]
    case 'plan':
      return ['- its list:', ...entry.items.map(({ text, state }) => `  - [${state === 'done' ? 'x' : ' '}] ${text}`)]
    case 'reconciled':
      return [`- found out later, of \`${entry.toolName}\`: ${entry.text}`]
    case 'compaction':
      return entry.what === 'turns' ? [`- ${entry.count} earlier entries were folded for the model`] : []
    case 'recalled':
      return [`- recalled: ${entry.items.map(({ name, firstLine }) => `${name}:${firstLine}`).join(', ')}`]
    case 'subrun':
      return entry.change === 'begin'
        ? [`- ${entry.for} asked ${entry.agent}: ${entry.task}`]
        : [`- ${entry.agent}, ${entry.state}: ${entry.summary}`]
    case 'skill':
      return [`- skill: ${entry.name}`]
    case 'rating':
      return entry.rating === null
        ? []
        : [`- rated ${entry.rating} by ${entry.by}${entry.note === undefined ? '' : `: ${entry.note}`}`]
    case 'error':
      return [`- error: ${entry.error}`]
    case 'picture_refused':
      return [`- pictures: ${entry.text}`]
    case 'budget':
    case 'stuck':
      return [`- limits: ${entry.text}`]
    case 'done':
      return []
    default:
      return entry satisfies never
  }
}
