/**
 * A watch in protobuf: the same events, each in a frame.
 * Guarantees: a line that many watchers share is put into a frame once.
 */
import { isObject, type JsonObject, parseJson, textOf } from '../json.ts'
import { ByteStream } from './byte-stream.ts'
import { encodeProtobuf, watchFrame } from './protobuf-writer.ts'

const frames = new WeakMap<Uint8Array, Uint8Array>()

export class FramedStream extends ByteStream {
  override pushInitial(line: Uint8Array): void {
    super.pushInitial(framed(line))
  }

  override push(line: Uint8Array): void {
    super.push(framed(line))
  }
}

function framed(line: Uint8Array): Uint8Array {
  let frame = frames.get(line)
  if (!frame) {
    frame = frameOf(line)
    frames.set(line, frame)
  }
  return frame
}

function frameOf(line: Uint8Array): Uint8Array {
  const event = parseJson(textOf(line)) as JsonObject
  const object = isObject(event.object) ? event.object : {}
  return watchFrame(String(event.type), encodeProtobuf(object) ?? new Uint8Array())
}
