import type { Token, Tokens } from 'marked'
import { memo, Suspense, useEffect, useMemo, useRef } from 'react'
import { useValue } from '../../lib/use-value.ts'
import { Value } from '../../lib/value.ts'
import { Boundary } from '../../ui/boundary.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { visibleText } from '../../ui/visible.ts'
import {
  type Block,
  blocksOf,
  chunksOf,
  forget,
  type Group,
  type Growing,
  growing,
  type Parsed,
  parseBlocks,
  perGroup,
} from './blocks.ts'
import { optional } from './optional.ts'
import { useParked } from './parking.ts'
import { useSlots } from './slots.ts'
import { Text } from './suggested.tsx'

type Written = { text: string; isStreaming?: boolean | undefined }

/** Draws a model's text. It has no HTML, images or colours, and headings have body size, so that it cannot imitate the interface. */
export const Markdown = memo(function Markdown(written: Written) {
  return (
    <Boundary instead={<AsWritten text={written.text} />}>
      <Formatted {...written} />
    </Boundary>
  )
})

const AsWritten = ({ text }: { text: string }) => (
  <div className="prose">
    <p className="note">This text could not be formatted. Here it is as it was written.</p>
    <pre>{text}</pre>
  </div>
)

function Formatted({ text, isStreaming = false }: Written) {
  const parsed = useRef<Parsed>(undefined)
  const part = useValue(extras)
  parsed.current = parseBlocks(text, parsed.current, part?.options)
  const { whole, tail, hasExtras } = parsed.current
  const isMissing = hasExtras && part === undefined
  useEffect(() => {
    if (isMissing) import('./extras.tsx').then(extras.set.bind(extras), () => undefined)
  }, [isMissing])
  const full = whole.length - (whole.length % perGroup)
  const piles = useMemo(() => chunksOf(whole.slice(0, full)).map(pileOf), [whole, full])
  return (
    <div className={`prose${isStreaming ? ' streaming' : ''}`}>
      {[...piles, ...chunksOf([...whole.slice(full), ...growing(tail)]).map(pileOf)]}
    </div>
  )
}

/** Code for math and footnotes, loaded with the first answer that needs it. */
const extras = new Value<typeof import('./extras.tsx') | undefined>(undefined)
const Extra = (given: { token: Token }) => {
  const part = useValue(extras)
  return part === undefined ? given.token.raw : <part.Extra {...given} Inline={Inline} />
}

type Part = Group | Growing

/** Draws groups in piles, so that the browser lays out one box for many finished groups of a long answer. */
const pileOf = (parts: readonly Part[]) => (
  <div key={parts[0]?.key} className={`pile${parts.length === perGroup && parts.every(isWhole) ? ' whole' : ''}`}>
    {parts.map((part) => (
      <GroupView key={part.key} part={part} />
    ))}
  </div>
)
const isWhole = (part: Part): part is Group => 'text' in part

/** A finished group. Off screen, the browser skips its layout and paint; far off screen, plain text replaces it. */
const GroupView = memo(function GroupView({ part }: { part: Part }) {
  const box = useRef<HTMLDivElement>(null)
  const parked = useParked(box, isWhole(part) ? part : undefined)
  return (
    <div
      ref={box}
      className={`blocks${isWhole(part) ? ' whole' : ''}${parked === undefined ? '' : ' parked'}`}
      style={parked && { height: parked.px }}
    >
      {parked === undefined ? <GroupBlocks part={part} /> : parked.text}
    </div>
  )
})

function GroupBlocks({ part }: { part: Part }) {
  useEffect(() => (isWhole(part) ? () => forget(part) : undefined), [part])
  return (isWhole(part) ? blocksOf(part) : part.blocks).map((block) => <BlockView key={block.key} block={block} />)
}

const BlockView = memo(function BlockView({ block }: { block: Block }) {
  return <BlockToken token={block.token} />
})

/** An item of a list. While a list grows, only its last item is drawn again. */
const Item = memo(
  function Item({ item }: { item: Tokens.ListItem }) {
    return (
      <li className={item.task ? 'task' : undefined}>
        {item.task && (
          <>
            <input
              type="checkbox"
              checked={item.checked === true}
              disabled
              aria-label={item.checked ? 'Done' : 'Open'}
            />{' '}
          </>
        )}
        <Blocks tokens={item.tokens.filter((token) => (token.type as string) !== 'checkbox')} />
      </li>
    )
  },
  (before, now) => before.item.raw === now.item.raw && before.item.loose === now.item.loose,
)

function BlockToken({ token }: { token: Token }): React.ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'paragraph':
      return (
        <p dir="auto">
          <Inline tokens={token.tokens} />
        </p>
      )
    case 'text':
      return token.tokens === undefined ? <Text text={token.text} /> : <Inline tokens={token.tokens} />
    case 'heading':
      return (
        <p className="heading" dir="auto">
          <Inline tokens={token.tokens} />
        </p>
      )
    case 'code':
      return (
        <CodeBlock text={token.text} fence={token.lang ?? ''} isClosed={/\n {0,3}(`{3,}|~{3,})\s*$/.test(token.raw)} />
      )
    case 'blockquote':
      return (
        <blockquote dir="auto">
          <Blocks tokens={token.tokens} />
        </blockquote>
      )
    case 'list':
      return <List list={token as Tokens.List} />
    case 'table':
      return <Table table={token as Tokens.Table} />
    case 'hr':
      return <hr />
    case 'math':
    case 'footnote':
      return <Extra token={token} />
    default:
      return <p>{token.raw}</p>
  }
}

// biome-ignore-start lint/suspicious/noArrayIndexKey: tokens have no identity but their place
const Blocks = ({ tokens = [] }: { tokens?: Token[] | undefined }) =>
  tokens.map((token, at) => <BlockToken key={at} token={token} />)

const Inline = ({ tokens = [] }: { tokens?: Token[] | undefined }) =>
  tokens.map((token, at) => <InlineToken key={at} token={token} />)

function List({ list }: { list: Tokens.List }) {
  const items = list.items.map((item, at) => <Item key={at} item={item} />)
  return list.ordered ? (
    <ol dir="auto" start={Number(list.start) || 1}>
      {items}
    </ol>
  ) : (
    <ul dir="auto">{items}</ul>
  )
}

function Table({ table }: { table: Tokens.Table }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, by keyboard too
    <section className="table" tabIndex={0} aria-label="Table">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, at) => (
              <th key={at} dir="auto" style={{ textAlign: cell.align ?? 'start' }}>
                <Inline tokens={cell.tokens} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} dir="auto" style={{ textAlign: cell.align ?? 'start' }}>
                  <Inline tokens={cell.tokens} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
// biome-ignore-end lint/suspicious/noArrayIndexKey: as above

function InlineToken({ token }: { token: Token }): React.ReactNode {
  switch (token.type) {
    case 'text':
      return token.tokens === undefined ? <Text text={token.text} /> : <Inline tokens={token.tokens} />
    case 'escape':
      return token.text
    case 'strong':
      return (
        <strong>
          <Inline tokens={token.tokens} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <Inline tokens={token.tokens} />
        </em>
      )
    case 'del':
      // One tilde is a sign for "about", as in `~40 min~1 h`.
      return token.raw.startsWith('~~') ? (
        <del>
          <Inline tokens={token.tokens} />
        </del>
      ) : (
        <>
          ~<Inline tokens={token.tokens} />~
        </>
      )
    case 'codespan':
      return <CodeSpan text={token.text} />
    case 'br':
      return <br />
    case 'link':
      return <OutsideLink href={token.href} text={token.text} />
    case 'image':
      return `[image: ${token.text === '' ? token.href : token.text}]`
    case 'html':
      return token.raw
    default:
      return <Extra token={token} />
  }
}

function CodeSpan({ text }: { text: string }) {
  const { Code } = useSlots()
  return <Code text={text} />
}

/** A link that also shows its host. Any URL that is not http or https is drawn as text. */
function OutsideLink({ href, text }: { href: string; text: string }) {
  const url = URL.canParse(href) ? new URL(href) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) return `${text} (${href})`
  const isSaid = url.username === '' && (text === url.host || (URL.canParse(text) && new URL(text).host === url.host))
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer">
      {visibleText(text)}
      {!isSaid && <span className="host"> ({url.host})</span>}
    </a>
  )
}

const Highlighted = optional<{ text: string; fence: string }>(
  () => import('./code/highlighted.tsx').then((part) => part.Highlighted),
  ({ text }) => text,
)
const Diagram = optional<{ text: string; children: React.ReactNode }>(
  () => import('./code/diagram.tsx').then((part) => part.Diagram),
  ({ children }) => children,
)

/** Longest code that is highlighted, characters. */
const longestHighlighted = 50_000

/** A code block. It is highlighted, or its diagram drawn, after the fence is closed. */
function CodeBlock({ text, fence, isClosed }: { text: string; fence: string; isClosed: boolean }) {
  const isPlain = !isClosed || fence === '' || text.length > longestHighlighted
  const block = (
    <div className="codeblock">
      <div>
        <span>{fence === '' ? 'text' : fence}</span>
        <CopyButton text={text} label="Copy" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, by keyboard too */}
      <pre tabIndex={0}>
        <code>
          {isPlain ? (
            text
          ) : (
            <Suspense fallback={text}>
              <Highlighted text={text} fence={fence} />
            </Suspense>
          )}
        </code>
      </pre>
    </div>
  )
  if (!isClosed || fence !== 'mermaid') return block
  return (
    <Suspense fallback={block}>
      <Diagram key={text} text={text}>
        {block}
      </Diagram>
    </Suspense>
  )
}
