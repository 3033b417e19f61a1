import { commands, hintOf } from '../features/chat/commands.ts'
import { PanelHead } from '../ui/panel-head.tsx'
import { Over } from './over.tsx'
import { overlay } from './overlay.ts'

const keys: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['Ctrl K'], 'search or run'],
  [['Ctrl .'], 'next waiting card'],
  [['Ctrl F'], 'find in a long session; once more: the browser’s own search'],
  [['/'], 'to the composer'],
  [['Enter'], 'send'],
  [['Shift Enter'], 'break the line'],
  [['Esc'], 'close what lies on top, step back from armed, stop the answer'],
  [['Alt N'], 'new chat'],
  [['g', 'c'], 'chat'],
  [['g', 'e'], 'sessions'],
  [['g', 'l'], 'cluster'],
  [['g', 'w'], 'waiting'],
  [['g', 'j'], 'journal'],
  [['g', 't'], 'tools'],
  [['g', 'm'], 'memory'],
  [['g', 's'], 'settings'],
  [['g', 'y'], 'system'],
  [['J', 'K'], 'down and up in the lists of what waits and of sessions'],
  [['R', 'E', 'Del', 'U'], 'on a session: rename, archive, delete, take a deletion back'],
  [['A', 'Enter'], 'on a card: arm, then approve'],
  [['D'], 'on a card: deny, with a note'],
  [['['], 'hide or show the rail'],
  [[']'], 'hide or show the cluster panel'],
  [['?'], 'this table'],
]

/** The keyboard's one table. */
export function Keys() {
  return (
    <Over label="Keys">
      <div className="keys-over">
        <PanelHead title="Keys" />
        <dl>
          {keys.map(([pressed, what]) => (
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
