import type { Call } from '../runs.ts'
import { CommandView } from './command.tsx'
import { dataOf } from './data.ts'
import { Exact } from './exact.tsx'
import { FilesView } from './files.tsx'
import { HitsView } from './hits.tsx'
import { PageView } from './page.tsx'
import { PictureView } from './picture.tsx'
import './views.css'

/**
 * Draws a call in the view that its tool names. If this page does not know the view, or its data is missing, shows the exact input and output
 * instead.
 */
export function CallBlock({ call, sessionId }: { call: Call; sessionId: string }) {
  return (
    <div className="view">
      <Drawn call={call} sessionId={sessionId} />
    </div>
  )
}

function Drawn({ call, sessionId }: { call: Call; sessionId: string }) {
  switch (call.started?.view) {
    case 'command':
      return <CommandView call={call} sessionId={sessionId} data={dataOf('command', call)} />
    case 'page': {
      const page = dataOf('page', call)
      return page === undefined ? <Unknown call={call} /> : <PageView call={call} page={page} />
    }
    case 'hits': {
      const found = dataOf('hits', call)
      return found === undefined ? <Unknown call={call} /> : <HitsView call={call} found={found} />
    }
    case 'picture': {
      const picture = dataOf('picture', call)
      const image = call.result?.images?.[0]
      return picture === undefined || image === undefined ? (
        <Unknown call={call} />
      ) : (
        <PictureView call={call} picture={picture} image={image} sessionId={sessionId} />
      )
    }
    case 'files': {
      const files = dataOf('files', call)
      return files === undefined ? <Unknown call={call} /> : <FilesView call={call} files={files} />
    }
    default:
      return <Unknown call={call} />
  }
}

/** The exact input and output; nothing while the call runs. */
const Unknown = ({ call }: { call: Call }) => (call.result === undefined ? null : <Exact call={call} isOpen />)
