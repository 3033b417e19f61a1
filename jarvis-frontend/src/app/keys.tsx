import { signedIn } from '../api/auth.ts'
import { commands, hintOf } from '../features/chat/commands.ts'
import { useValue } from '../lib/use-value.ts'
import { PanelHead } from '../ui/panel-head.tsx'
import { usePagesIn } from './here.ts'
import { Over } from './over.tsx'
import { overlay } from './overlay.ts'
import type { Page } from './page-list.ts'

/** Keys and what they do. `act`: only for people who may ask. `viewer`: what the key does for a viewer instead. */
type KeyLine = readonly [keys: readonly string[], what: string, whose?: 'act' | { viewer: string }]
const linesOf = (pages: readonly Page[]): readonly KeyLine[] => [
  [['Ctrl K'], 'search or run', { viewer: 'search' }],
  [['Ctrl .'], 'next waiting card'],
  [['Ctrl F'], 'find in a long session; once more: the browser’s own search'],
  [['/'], 'to the composer; so does a word that is typed where no field has the focus', 'act'],
  [['Enter'], 'send; on a touch keyboard, break the line (Settings, Display)', 'act'],
  [['Ctrl Enter'], 'send', 'act'],
  [['Shift Enter'], 'break the line', 'act'],
  [
    ['Esc'],
    'close what lies on top, step back from armed, stop the answer (twice while a card waits), leave an empty composer',
    { viewer: 'close what lies on top' },
  ],
  [['Alt N'], 'new chat', 'act'],
  ...pages.flatMap(({ key, title }): KeyLine[] => (key === undefined ? [] : [[['g', key], title.toLowerCase()]])),
  [['J', 'K'], 'down and up in the lists of what waits, of alerts and of sessions'],
  [['R', 'E', 'Del', 'U'], 'on a session: rename, archive, delete, take a deletion back', 'act'],
  [['A', 'Enter'], 'on a card: arm, then approve', 'act'],
  [['D'], 'on a card: deny, with a note', 'act'],
  [['N', 'P'], 'on a card with files: the next and the previous file'],
  [['[', ']'], 'on a guest’s page: the guest before and after'],
  [['1', '4'], 'on a guest’s page: its tabs'],
  [['U'], 'on a guest’s page: undo the change that has the focus', 'act'],
  [['W', 'E', 'S'], 'on an alert: ask why, acknowledge, silence', 'act'],
  [['X'], 'on an alert: its evidence'],
  [['P', 'R'], 'on a job: pause, run now', 'act'],
  [['['], 'hide or show the rail'],
  [[']'], 'hide or show the cluster panel'],
  [['?'], 'this table'],
]

/** The table of keyboard shortcuts. */
export function Keys() {
  const isOperator = useValue(signedIn)?.mayAsk === true
  const shown = linesOf(usePagesIn('palette')).flatMap(([pressed, what, whose]) => {
    if (isOperator || whose === undefined) return [[pressed, what] as const]
    return whose === 'act' ? [] : [[pressed, whose.viewer] as const]
  })
  return (
    <Over label="Keys">
      <div className="keys-over">
        <PanelHead title="Keys" />
        <dl>
          {shown.map(([pressed, what]) => (
            <div key={what}>
              <dt>
                {pressed.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        {isOperator && (
          <>
            <PanelHead title="Commands" />
            <dl>
              {commands.map((command) => (
                <div key={command.name}>
                  <dt>
                    <kbd>{hintOf(command)}</kbd>
                  </dt>
                  <dd>{command.detail}</dd>
                </div>
              ))}
            </dl>
          </>
        )}
        <p className="palette-foot">
          <span>Single letters rest in fields, and can be switched off in Settings.</span>
          <button type="button" className="button small" onClick={() => overlay.set(undefined)}>
            Close
          </button>
        </p>
      </div>
    </Over>
  )
}
