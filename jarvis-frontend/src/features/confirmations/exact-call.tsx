import type { Card } from 'protocol'
import { Visible } from '../../ui/boxed.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { exactInput } from './sentence.ts'

/** The exact call: the tool and its arguments. @param isFirst true if it follows the heading directly */
export function ExactCall({ card, isFirst = false }: { card: Card; isFirst?: boolean }) {
  const input = exactInput(card.toolInput)
  return (
    <div className={`exact${isFirst ? ' mt-2' : ''}`}>
      <code>
        <b>
          <Visible text={card.toolName} />
        </b>{' '}
        <bdi>
          <Visible text={input} />
        </bdi>
      </code>
      <CopyButton text={`${card.toolName} ${input}`} label="Copy the exact call" />
    </div>
  )
}
