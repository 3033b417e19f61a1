import { useEffect, useState } from 'react'
import { imageAddress } from '../../api/images.ts'
import { size } from '../../lib/format.ts'
import { visibleText } from '../../ui/visible.ts'

type Shown = { id: string; bytes: number }
type Props = { images: readonly Shown[]; sessionId: string; by: string; isAttached?: true }

/** Pictures of a tool or a person, each in a box of fixed height, so that nothing moves when a picture has loaded. */
export function Pictures({ images, sessionId, by, isAttached }: Props) {
  return (
    <div className="pictures">
      {images.map((image, at) => (
        <Picture
          key={image.id}
          image={image}
          sessionId={sessionId}
          isAttached={isAttached === true}
          alt={`Picture ${at + 1} of ${images.length} from ${visibleText(by)}, ${size(image.bytes)}`}
        />
      ))}
    </div>
  )
}

type OneProps = { image: Shown; sessionId: string; alt: string; isAttached: boolean }

function Picture({ image, sessionId, alt, isAttached }: OneProps) {
  const [address, setAddress] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [isLarge, setLarge] = useState(false)
  useEffect(() => {
    let isHere = true
    imageAddress(sessionId, image.id, isAttached).then(
      (found) => isHere && setAddress(found),
      (error: Error) => isHere && setProblem(error.message),
    )
    return () => {
      isHere = false
    }
  }, [sessionId, image.id, isAttached])
  if (problem !== undefined) return <p className="note">The picture is not shown. {problem}</p>
  return (
    <button
      type="button"
      className="picture"
      aria-expanded={isLarge}
      aria-label={`${alt}. ${isLarge ? 'Show it small' : 'Show it large'}`}
      onClick={() => setLarge(!isLarge)}
    >
      {address !== undefined && <img src={address} alt="" />}
    </button>
  )
}
