import { Lexer } from 'marked'
import { expect, test } from 'vitest'
import { options } from './extras.tsx'

const inline = (text: string) => {
  const [first] = new Lexer(options).lex(text)
  return first?.type === 'paragraph' ? first.tokens?.map(({ type, raw }) => `${type} ${raw}`) : [first?.type]
}

test.each([
  ['a formula between words', 'It is $$a_b$$ here.', ['text It is ', 'math $$a_b$$', 'text  here.']],
  ['a formula in brackets', 'So \\(x\\).', ['text So ', 'math \\(x\\)', 'text .']],
  ['a formula of its own', '$$\nx^2\n$$\n', ['math']],
  ['prices are text', 'From $5 to $6.', ['text From $5 to $6.']],
  ['text of a shell', 'It writes $A/$(date).', ['text It writes $A/$(date).']],
  ['words between two dollar signs', 'Set $HOME and $a$.', ['text Set $HOME and $a$.']],
  ['a mark of a footnote', 'So[^1] it is.', ['text So', 'footnoteRef [^1]', 'text  it is.']],
  ['a footnote', '[^1]: Because *of* it.\n', ['footnote']],
  ['strong words', 'Very **so**.', ['text Very ', 'strong **so**', 'text .']],
])('reads %s', (_, text, tokens) => expect(inline(text)).toEqual(tokens))

test('ends a paragraph at a footnote, and reads the words of it', () => {
  const tokens = new Lexer(options).lex('Words\n[^a]: *Why* so\n')
  expect(tokens.map(({ type }) => type)).toEqual(['paragraph', 'footnote'])
  expect(tokens[1]).toMatchObject({ label: 'a', tokens: [{ type: 'em' }, { type: 'text', raw: ' so' }] })
})
