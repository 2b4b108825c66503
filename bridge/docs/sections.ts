/** The docs as sections in Markdown: those of the guide, and one for the endpoints under each tag. */
import { isForOperators, type OpenApiDocument } from '../openapi/document.ts';
import { lead, type Section } from '../openapi/introduction.ts';
import { type GuideOptions, writeGuide } from './guide.ts';
import { type EndpointTag, endpointTags, type Links } from './markdown.ts';
import { writeReference } from './reference.ts';

export type Docs = ReturnType<typeof writeDocs>;

export const writeDocs = (options: GuideOptions) => ({
  title: options.document.info.title,
  lead,
  guide: writeGuide(options, linksOf(options)),
  endpoints: endpointTags(options.document).map((tag) => endpointsSection(options.document, tag)),
});

interface EndpointsSection extends Section {
  isForOperators: boolean;
}

const endpointsSection = (
  document: OpenApiDocument,
  { name, description, operations }: EndpointTag,
): EndpointsSection => ({
  name: endpointsName(name),
  title: `Endpoints: ${name}`,
  summary: description,
  text: `${description}\n\n${writeReference(document, operations)}`,
  isForOperators: operations.every(isForOperators),
});

const endpointsName = (tag: string) => `endpoints-${tag.toLowerCase()}`;

/** The links are absolute, because each section is a separate document. */
const linksOf = ({ baseUrl, docsPath }: GuideOptions): Links => ({
  to: (path) => baseUrl + path,
  toOperation: ({ tags: [tag = ''] }) => `${baseUrl}${docsPath}/${endpointsName(tag)}.md`,
  endpoints: `${baseUrl}${docsPath}.md`,
});
