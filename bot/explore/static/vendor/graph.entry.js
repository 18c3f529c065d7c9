// What graph.js offers to the explorer; `make vendor` bundles it.
export { UndirectedGraph } from "graphology";
export { default as forceAtlas2 } from "graphology-layout-forceatlas2";
export { default as Sigma } from "sigma";
export { EdgeLineProgram, NodePointProgram } from "sigma/rendering";
