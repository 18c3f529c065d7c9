"""The names of arXiv's categories for people who don't know the codes (https://arxiv.org/category_taxonomy)."""

from __future__ import annotations

_CS = """AI Artificial Intelligence; AR Hardware Architecture; CC Computational Complexity; CE
Computational Engineering, Finance, and Science; CG Computational Geometry; CL Computation
and Language; CR Cryptography and Security; CV Computer Vision; CY Computers and Society;
DB Databases; DC Distributed and Parallel Computing; DL Digital Libraries; DM Discrete
Mathematics; DS Data Structures and Algorithms; ET Emerging Technologies; FL Formal
Languages and Automata; GL General Literature; GR Graphics; GT Game Theory; HC Human-
Computer Interaction; IR Information Retrieval; IT Information Theory; LG Machine
Learning; LO Logic in Computer Science; MA Multiagent Systems; MM Multimedia; MS
Mathematical Software; NA Numerical Analysis; NE Neural and Evolutionary Computing; NI
Networking and Internet Architecture; OH Other Computer Science; OS Operating Systems; PF
Performance; PL Programming Languages; RO Robotics; SC Symbolic Computation; SD Sound; SE
Software Engineering; SI Social and Information Networks; SY Systems and Control"""
_MATH = """AC Commutative Algebra; AG Algebraic Geometry; AP Analysis of PDEs; AT Algebraic Topology;
CA Classical Analysis and ODEs; CO Combinatorics; CT Category Theory; CV Complex
Variables; DG Differential Geometry; DS Dynamical Systems; FA Functional Analysis; GM
General Mathematics; GN General Topology; GR Group Theory; GT Geometric Topology; HO
History and Overview; IT Information Theory; KT K-Theory and Homology; LO Logic; MG Metric
Geometry; MP Mathematical Physics; NA Numerical Analysis; NT Number Theory; OA Operator
Algebras; OC Optimization and Control; PR Probability; QA Quantum Algebra; RA Rings and
Algebras; RT Representation Theory; SG Symplectic Geometry; SP Spectral Theory; ST
Statistics Theory"""
_PHYSICS = """acc-ph Accelerator Physics; ao-ph Atmospheric and Oceanic Physics; app-ph Applied Physics;
atm-clus Atomic and Molecular Clusters; atom-ph Atomic Physics; bio-ph Biological Physics;
chem-ph Chemical Physics; class-ph Classical Physics; comp-ph Computational Physics; data-
an Data Analysis; ed-ph Physics Education; flu-dyn Fluid Dynamics; gen-ph General Physics;
geo-ph Geophysics; hist-ph History and Philosophy of Physics; ins-det Instrumentation and
Detectors; med-ph Medical Physics; optics Optics; plasm-ph Plasma Physics; pop-ph Popular
Physics; soc-ph Physics and Society; space-ph Space Physics"""
_OTHERS = {
    "astro-ph": """CO Cosmology; EP Earth and Planetary Astrophysics; GA Astrophysics of Galaxies; HE High
Energy Astrophysics; IM Instrumentation for Astrophysics; SR Solar and Stellar
Astrophysics""",
    "cond-mat": """dis-nn Disordered Systems and Neural Networks; mes-hall Mesoscale and Nanoscale Physics;
mtrl-sci Materials Science; other Other Condensed Matter; quant-gas Quantum Gases; soft
Soft Condensed Matter; stat-mech Statistical Mechanics; str-el Strongly Correlated
Electrons; supr-con Superconductivity""",
    "econ": "EM Econometrics; GN General Economics; TH Theoretical Economics",
    "eess": """AS Audio and Speech Processing; IV Image and Video Processing; SP Signal Processing; SY
Systems and Control""",
    "nlin": """AO Adaptation and Self-Organizing Systems; CD Chaotic Dynamics; CG Cellular Automata; PS
Pattern Formation and Solitons; SI Exactly Solvable and Integrable Systems""",
    "q-bio": """BM Biomolecules; CB Cell Behavior; GN Genomics; MN Molecular Networks; NC Neurons and
Cognition; OT Other Quantitative Biology; PE Populations and Evolution; QM Quantitative
Methods in Biology; SC Subcellular Processes; TO Tissues and Organs""",
    "q-fin": """CP Computational Finance; EC Economics; GN General Finance; MF Mathematical Finance; PM
Portfolio Management; PR Pricing of Securities; RM Risk Management; ST Statistical
Finance; TR Trading and Market Microstructure""",
    "stat": """AP Statistics Applications; CO Statistical Computation; ME Statistical Methodology; ML
Machine Learning in Statistics; OT Other Statistics; TH Statistics Theory""",
}
_WHOLE = {
    "astro-ph": "Astrophysics",
    "cond-mat": "Condensed Matter",
    "cs": "Computer Science",
    "econ": "Economics",
    "eess": "Electrical Engineering and Systems Science",
    "gr-qc": "General Relativity and Quantum Cosmology",
    "hep-ex": "High Energy Physics: Experiment",
    "hep-lat": "High Energy Physics: Lattice",
    "hep-ph": "High Energy Physics: Phenomenology",
    "hep-th": "High Energy Physics: Theory",
    "math": "Mathematics",
    "math-ph": "Mathematical Physics",
    "nlin": "Nonlinear Sciences",
    "nucl-ex": "Nuclear Experiment",
    "nucl-th": "Nuclear Theory",
    "physics": "Physics",
    "q-bio": "Quantitative Biology",
    "q-fin": "Quantitative Finance",
    "quant-ph": "Quantum Physics",
    "stat": "Statistics",
}


def _names() -> dict[str, str]:
    names = dict(_WHOLE)
    for archive, text in {"cs": _CS, "math": _MATH, "physics": _PHYSICS, **_OTHERS}.items():
        for entry in " ".join(text.split()).split("; "):
            subject, _, name = entry.partition(" ")
            names[f"{archive}.{subject}"] = name
    return names


NAMES = _names()
"""The name of each category, by its code."""
_CODES = {code.casefold(): code for code in NAMES}


def field_name(code: str) -> str:
    """What a category is about: ``cs.CL`` -> ``Computation and Language``; an unknown code stays as it is."""
    return NAMES.get(code, code)


def fields_named(text: str) -> list[str]:
    """The categories that a typed code or name means: the exact one, else all whose name has these words."""
    wanted = " ".join(text.split()).casefold()
    if wanted in _CODES:
        return [_CODES[wanted]]
    exact = [code for code, name in NAMES.items() if name.casefold() == wanted]
    return exact or [code for code, name in NAMES.items() if len(wanted) > 2 and wanted in name.casefold()]
