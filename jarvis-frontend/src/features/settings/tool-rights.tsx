import type { SetupTestReply } from 'protocol'
import { plural } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { RightsChoices } from './rights-choices.tsx'

const marks = { all: 'ok', some: 'warn', none: 'bad' } as const
const words = { all: 'on the whole cluster', some: 'on a part', none: 'not at all' } as const

/** The result of a token's test: what the token can read, and the rights that each tool lacks. */
export function ToolRights({ found: { entries, nodes, tools, choices = [], fix } }: { found: SetupTestReply }) {
  const full = tools?.filter(({ granted }) => granted === 'all').length ?? 0
  return (
    <>
      <ul className="fact-list" aria-label="Entries">
        {entries.map(({ url, version, problem }) => (
          <li key={url}>
            <Mark
              kind={problem === undefined ? 'ok' : 'bad'}
              size={11}
              label={problem === undefined ? 'well' : 'failed'}
            />
            <span>
              <Visible text={url} />
            </span>
            <span className="text-soft">
              <Visible
                text={
                  problem ??
                  `Proxmox VE ${version ?? ''}, ${nodes.map(({ name }) => name).join(', ') || 'no node seen'}`
                }
              />
            </span>
          </li>
        ))}
      </ul>
      {tools !== undefined && (
        <details className="rights" open={full < tools.length}>
          <summary>
            {full} of {plural(tools.length, 'tool')} with all rights
          </summary>
          <ul className="fact-list" aria-label="Rights by tool">
            {tools.map(({ toolName, granted, missing }) => (
              <li key={toolName}>
                <Mark kind={marks[granted]} size={11} />
                <span className="mono">{toolName}</span>
                <span className="text-soft">
                  {words[granted]}
                  {missing.length > 0 && <small>lacks {missing.join(', ')}</small>}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
      <RightsChoices
        choices={choices}
        words={`${plural(choices.length, 'wider set')} of rights this token does not have`}
      />
      {fix !== undefined && (
        <>
          <p>In a shell of one node, as root, this adds what is missing; then try again:</p>
          <div className="strip once command">
            <pre>{fix}</pre>
            <CopyButton text={fix} label="Copy what adds the rights" />
          </div>
        </>
      )}
    </>
  )
}
