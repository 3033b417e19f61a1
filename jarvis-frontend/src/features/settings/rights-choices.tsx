import type { SetupChoice, SetupReply } from 'protocol'
import { plural } from '../../lib/format.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Mark } from '../../ui/mark.tsx'

/** Optional rights in addition to the base role, each with the command line that grants it. */
export function RightsChoices({ choices, words }: { choices: readonly SetupChoice[]; words: string }) {
  if (choices.length === 0) return null
  return (
    <details className="rights">
      <summary>{words}</summary>
      <ul className="fact-list" aria-label={words}>
        {choices.map(({ name, gives, toolNames, command }) => (
          <li key={name}>
            <Mark kind="none" size={11} />
            <span className="mono">{name}</span>
            <span className="text-soft">
              To {gives}
              <small>
                {toolNames.length === 0 ? '' : `${plural(toolNames.length, 'tool')}: ${toolNames.join(', ')}`}
              </small>
              <code className="rights-line">{command}</code>
            </span>
            <CopyButton text={command} label={`Copy what adds ${name}`} />
          </li>
        ))}
      </ul>
    </details>
  )
}

export const beyondBase = ({ choices }: Pick<SetupReply, 'choices'>): string =>
  `${plural(choices.length, 'wider set')} of rights, each your choice`
