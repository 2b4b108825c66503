/** The part of Swagger UI that the docs page uses; the package ships no types. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export interface SwaggerUi {
    /** Sends a value with every call, in the form that the named security scheme defines. */
    preauthorizeApiKey(schemeName: string, value: string): void;
    authActions: { logout(schemeNames: string[]): void };
    layoutActions: { show: Show };
    specActions: {
      changeParamByIdentity(pathMethod: string[], parameter: Parameter, value: string, isXml: boolean): void;
    };
    /** Of Immutable's maps and lists. */
    specSelectors: {
      specJsonWithResolvedSubtrees(): {
        getIn(
          path: string[],
        ): { find(is: (parameter: Parameter) => boolean): Parameter | undefined } | undefined;
      };
    };
  }

  interface Parameter {
    get(field: string): unknown;
  }

  type Show = (path: string[], isShown: boolean) => unknown;

  /** What a plugin receives. */
  export interface System {
    React: {
      Fragment: unknown;
      createElement(type: unknown, props: object | null, ...children: unknown[]): unknown;
    };
  }

  type Component = (props: never) => unknown;

  export interface Plugin {
    components?: Record<string, Component>;
    wrapComponents?: Record<string, (original: unknown, system: System) => Component>;
    rootInjects?: Record<string, object>;
    statePlugins?: { layout: { wrapActions: { show(original: Show, system: SwaggerUi): Show } } };
  }

  export default function SwaggerUI(options: {
    spec: object;
    domNode: HTMLElement;
    plugins: ((system: System) => Plugin)[];
    onComplete: () => void;
    [option: string]: unknown;
  }): SwaggerUi;
}
