// Draws what was read of a page of the handbook. Every text goes in as text; only addresses of the web are links.
import { useFarm } from '../../live/farm-state.ts';
import type { Block, Span, Spans } from './markdown.ts';
import { pictureOf } from './pictures.ts';
import { isTopic } from './topics.data.ts';

export function Blocks({ blocks }: { blocks: readonly Block[] }) {
  return (
    <>
      {blocks.map((block, index) => (
        <OneBlock key={index} block={block} />
      ))}
    </>
  );
}

function OneBlock({ block }: { block: Block }) {
  switch (block.kind) {
    case 'heading':
      return <Heading {...block} />;
    case 'paragraph':
      return (
        <p>
          <Inline spans={block.spans} />
        </p>
      );
    case 'list': {
      const List = block.isOrdered ? 'ol' : 'ul';
      return (
        <List>
          {block.items.map((spans, index) => (
            <li key={index}>
              <Inline spans={spans} />
            </li>
          ))}
        </List>
      );
    }
    case 'table':
      return <Table {...block} />;
    case 'picture':
      return <Picture {...block} />;
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard
        <pre class="scroll" tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
  }
}

function Picture({ file, label }: Extract<Block, { kind: 'picture' }>) {
  const address = pictureOf(file);
  return address === undefined ? <p>{label}</p> : <img class="picture" src={address} alt={label} loading="lazy" />;
}

function Heading({ level, id, spans }: Extract<Block, { kind: 'heading' }>) {
  const Name = level === 1 ? 'h1' : level === 2 ? 'h2' : 'h3';
  return (
    <Name id={id}>
      <Inline spans={spans} />
    </Name>
  );
}

function Table({ head, rows }: Extract<Block, { kind: 'table' }>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard
    <div class="scroll" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((spans, index) => (
              <th key={index}>
                <Inline spans={spans} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((spans, index) => (
                <td key={index}>
                  <Inline spans={spans} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Inline({ spans }: { spans: Spans }) {
  return (
    <>
      {spans.map((span, index) => (
        <OneSpan key={index} span={span} />
      ))}
    </>
  );
}

function OneSpan({ span }: { span: Span }) {
  const { farm } = useFarm();
  switch (span.kind) {
    case 'text':
      return <>{span.text}</>;
    case 'code': {
      const topic = /^pithead help ([a-z]+)$/.exec(span.text)?.[1] ?? '';
      const code = <code>{span.text}</code>;
      return isTopic(topic) ? <a href={`/f/${farm.id}/help/${topic}`}>{code}</a> : code;
    }
    case 'strong':
      return (
        <strong>
          <Inline spans={span.spans} />
        </strong>
      );
    case 'link':
      return /^https?:\/\//.test(span.href) ? (
        <a href={span.href} target="_blank" rel="noreferrer">
          <Inline spans={span.spans} />
        </a>
      ) : (
        // Files of the sources are not here.
        <code>
          <Inline spans={span.spans} />
        </code>
      );
  }
}
