/** The kinds of code. Each has its own grey and font weight (chat.css); none has a colour. */
export type Kind = 'comment' | 'string' | 'keyword' | 'name' | 'number' | 'sign' | 'added' | 'removed'

const scopes: Record<Kind, string[]> = {
  comment: ['comment', 'punctuation.definition.comment'],
  string: ['string', 'punctuation.definition.string'],
  keyword: ['keyword', 'storage', 'support.function.builtin', 'entity.name.tag.docker', 'meta.diff.header'],
  name: ['entity.name', 'support.type.property-name', 'variable.other.assignment', 'meta.object-literal.key'],
  number: ['constant', 'variable.other.normal.shell', 'variable.parameter'],
  sign: ['punctuation', 'keyword.operator'],
  added: ['markup.inserted'],
  removed: ['markup.deleted'],
}
const kinds = Object.keys(scopes) as Kind[]
/** Returns a placeholder colour for a kind, because a theme can map code only to colours. */
const stand = (at: number) => `#0000${String(at + 10)}`

export const theme = {
  name: 'kinds',
  type: 'dark' as const,
  fg: '#ffffff',
  bg: '#000000',
  settings: kinds.map((kind, at) => ({ scope: scopes[kind], settings: { foreground: stand(at) } })),
}
export const kindOf = (color: string | undefined): Kind | undefined =>
  kinds[kinds.findIndex((_, at) => stand(at) === color?.toLowerCase())]
