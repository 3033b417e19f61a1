import type { Image } from 'jarvis-backend/protocol'
import { useEffect, useState } from 'react'
import { imageAddress } from '../../api/images.ts'
import { size } from '../../lib/format.ts'
import { visibleText } from '../../ui/visible.ts'

/** A tool's pictures, each in a box of fixed height, so that nothing moves when a picture loads. */
export function Pictures({ images, sessionId, by }: { images: readonly Image[]; sessionId: string; by: string }) {
  return (
    <div className="pictures">
      {images.map((image, at) => (
        <Picture
          key={image.id}
          image={image}
          sessionId={sessionId}
          alt={`Picture ${at + 1} of ${images.length} from ${visibleText(by)}, ${size(image.bytes)}`}
        />
      ))}
    </div>
  )
}

function Picture({ image, sessionId, alt }: { image: Image; sessionId: string; alt: string }) {
  const [address, setAddress] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [isLarge, setLarge] = useState(false)
  useEffect(() => {
    let isHere = true
    imageAddress(sessionId, image.id).then(
      (found) => isHere && setAddress(found),
      (error: Error) => isHere && setProblem(error.message),
    )
    return () => {
      isHere = false
    }
  }, [sessionId, image.id])
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
