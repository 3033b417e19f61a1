import type { Content } from 'protocol'
import { type Fields, fieldsIfAny, words } from '../fields.ts'

export type Thinking = Extract<Content, { type: 'thinking' }>

/** The parts of an item of reasoning that are sent back. The provider stores nothing, so the item carries its own encrypted content. */
type Sealed = { id: string; encrypted_content: string }

/** Returns the `signature` for thinking that came as a reasoning item; undefined if the provider gave nothing to send back. */
export function sealOf(item: Fields): string | undefined {
  const sealed: Sealed = { id: words(item.id), encrypted_content: words(item.encrypted_content) }
  return sealed.id === '' || sealed.encrypted_content === '' ? undefined : JSON.stringify(sealed)
}

/** Returns the reasoning item for a piece of thinking; undefined if the thinking did not come from such an item. */
export function reasoningItem({ text, signature }: Thinking) {
  const sealed = sealIn(signature)
  if (sealed === undefined) return undefined
  return {
    type: 'reasoning' as const,
    id: sealed.id,
    summary: text === '' ? [] : [{ type: 'summary_text' as const, text }],
    encrypted_content: sealed.encrypted_content,
  }
}

function sealIn(signature: string | undefined): Sealed | undefined {
  try {
    const known = fieldsIfAny(JSON.parse(signature ?? ''))
    return known !== undefined && typeof known.id === 'string' && typeof known.encrypted_content === 'string'
      ? { id: known.id, encrypted_content: known.encrypted_content }
      : undefined
  } catch {
    return undefined
  }
}
