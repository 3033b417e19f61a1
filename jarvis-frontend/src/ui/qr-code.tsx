import { lazy, Suspense } from 'react'

const QrDrawing = lazy(() => import('./qr-drawing.tsx').then((part) => ({ default: part.QrDrawing })))

/**
 * A QR code, dark on light in every theme. Its place is kept while the part that draws it is fetched.
 * @param text at most 213 bytes; a longer one draws nothing. @param size px
 */
export const QrCode = ({ text, label, size = 184 }: { text: string; label: string; size?: number }) => (
  <Suspense fallback={<div className="qr" style={{ width: size, height: size }} aria-busy="true" />}>
    <QrDrawing text={text} label={label} size={size} />
  </Suspense>
)
