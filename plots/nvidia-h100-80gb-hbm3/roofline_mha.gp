# A roofline with its data. Draw it again: gnuplot roofline_mha.gp
if (!exists("svg")) svg = "roofline_mha.svg"
if (!exists("png")) png = "roofline_mha.png"
set encoding utf8
$points << EOD
147.885 3.09759e+13
591.541 2.51864e+14
2366.16 4.84097e+14
3979.39 5.33605e+14
591.541 4.11807e+14
2366.16 6.37826e+14
156.679 3.01753e+13
626.715 2.51392e+14
2506.86 4.88389e+14
4216.02 5.39372e+14
626.715 3.92669e+14
2506.86 6.46878e+14
279.17 8.25105e+13
8192 5.53287e+14
279.17 1.37457e+14
626.715 3.88946e+14
8192 6.68822e+14
1116.95 3.43402e+14
4216.28 5.10131e+14
1116.95 4.60788e+14
4216.28 6.21458e+14
279.443 2.64052e+14
2507.17 6.06303e+14
71.8376 7.93804e+12
295.77 2.77486e+13
1183.08 3.30313e+13
2655.93 3.35411e+13
295.77 3.26343e+13
1183.08 4.53177e+13
165.995 2.88542e+13
663.982 2.52185e+14
2813.86 4.40537e+14
4466.72 4.77099e+14
663.982 3.92159e+14
2813.86 6.38524e+14
175.866 2.80679e+13
703.464 2.48212e+14
2981.18 4.43815e+14
4732.32 4.80709e+14
703.464 3.89704e+14
2981.18 6.4794e+14
313.358 8.7829e+13
8679.12 4.87017e+14
313.358 1.43463e+14
703.464 3.86732e+14
8679.12 6.62515e+14
1253.74 3.20828e+14
4732.61 4.47549e+14
1253.74 4.4511e+14
4732.61 6.11055e+14
313.664 2.63111e+14
2981.54 5.88052e+14
57.0175 1.04293e+12
209.141 1.275e+12
836.565 1.20737e+12
93.1618 1.03711e+12
372.647 1.26308e+12
1406.93 1.20608e+12
98.7015 1.04052e+12
394.806 1.2657e+12
1490.59 1.21196e+12
60.408 5.66451e+12
221.577 1.0512e+13
886.309 1.17932e+13
104.571 5.76316e+12
418.282 1.06466e+13
1579.22 1.18833e+13
110.789 5.75514e+12
443.155 1.06453e+13
1673.13 1.1885e+13
64 3.40992e+12
234.753 3.94351e+12
939.012 4.69407e+12
117.377 4.55929e+12
469.506 6.06132e+12
1772.62 6.66006e+12
124.356 4.40526e+12
497.424 6.5172e+12
1878.02 6.92092e+12
67.8056 2.11049e+13
248.712 1.33318e+14
994.849 2.2488e+14
1989.7 2.41418e+14
248.712 1.60864e+14
994.849 2.41348e+14
131.751 3.45506e+13
527.003 2.51492e+14
2108.01 4.53608e+14
3545.24 5.03409e+14
527.003 3.86101e+14
2108.01 7.12108e+14
139.585 3.31918e+13
558.34 2.48766e+14
2233.36 4.56206e+14
3756.05 5.05167e+14
558.34 3.82616e+14
2233.36 7.23208e+14
263.501 1.08108e+14
7732.22 5.59175e+14
263.501 1.77409e+14
558.34 4.1083e+14
7732.22 7.74085e+14
1054.26 4.06332e+14
3756.28 5.58929e+14
1054.26 6.02613e+14
3756.28 7.01964e+14
263.759 2.63561e+14
2233.63 6.524e+14
EOD
$lines << EOD
10 8.0044e+13
121.075 9.69134e+14


10 3.01396e+13
321.548 9.69134e+14


10 3.1167e+13
310.948 9.69134e+14


121.075 9.69134e+14
20000 9.69134e+14


115.114 9.21419e+14
20000 9.21419e+14


38.3714 3.0714e+14
20000 3.0714e+14


53.8174 1.99469e+14
76.1093 1.99469e+14


197.403 7.97876e+14
331.991 7.97876e+14


87.933 3.98938e+14
186.324 3.98938e+14


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [10:20000]
set yrange [5e+11:2e+15]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of mha: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.00 TB/s' at 10.742, 1.01491e+14 left rotate by 33.5 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.01 TB/s' at 12.0062, 2.96571e+13 left rotate by 33.5 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.12 TB/s' at 10.742, 3.95178e+13 left rotate by 33.5 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor bf16 969 TFLOP/s, tensor f16 921 TFLOP/s' at 18587.2, 1.1128e+15 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor f16 / 3 307 TFLOP/s' at 18587.2, 3.52671e+14 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set key at screen 0.79, 0.90789 top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $lines index 1-1 with lines linecolor rgb "#404040" dt 4 lw 1.4 notitle, \
  $lines index 2-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 3-1 with lines linecolor rgb "#404040" dt 3 lw 1.4 notitle, \
  $lines index 4-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 5-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 6-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 7-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 8-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 9-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $points every ::1-1::1-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::2-1::2-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.86 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.91 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.97 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.03 linewidth 1.8 notitle, \
  $points every ::6-1::6-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.08 linewidth 1.8 notitle, \
  $points every ::7-1::7-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::8-1::8-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.86 linewidth 1.8 notitle, \
  $points every ::9-1::9-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.91 linewidth 1.8 notitle, \
  $points every ::10-1::10-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.97 linewidth 1.8 notitle, \
  $points every ::11-1::11-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.03 linewidth 1.8 notitle, \
  $points every ::12-1::12-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.08 linewidth 1.8 notitle, \
  $points every ::13-1::13-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.14 linewidth 1.8 notitle, \
  $points every ::14-1::14-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::15-1::15-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::16-1::16-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.31 linewidth 1.8 notitle, \
  $points every ::17-1::17-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.36 linewidth 1.8 notitle, \
  $points every ::18-1::18-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.42 linewidth 1.8 notitle, \
  $points every ::19-1::19-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.48 linewidth 1.8 notitle, \
  $points every ::20-1::20-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.53 linewidth 1.8 notitle, \
  $points every ::21-1::21-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.59 linewidth 1.8 notitle, \
  $points every ::22-1::22-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.64 linewidth 1.8 notitle, \
  $points every ::23-1::23-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::24-1::24-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::25-1::25-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.86 linewidth 1.8 notitle, \
  $points every ::26-1::26-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.91 linewidth 1.8 notitle, \
  $points every ::27-1::27-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.97 linewidth 1.8 notitle, \
  $points every ::28-1::28-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.03 linewidth 1.8 notitle, \
  $points every ::29-1::29-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.08 linewidth 1.8 notitle, \
  $points every ::30-1::30-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::31-1::31-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.86 linewidth 1.8 notitle, \
  $points every ::32-1::32-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.91 linewidth 1.8 notitle, \
  $points every ::33-1::33-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.97 linewidth 1.8 notitle, \
  $points every ::34-1::34-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.03 linewidth 1.8 notitle, \
  $points every ::35-1::35-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.08 linewidth 1.8 notitle, \
  $points every ::36-1::36-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::37-1::37-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.86 linewidth 1.8 notitle, \
  $points every ::38-1::38-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.91 linewidth 1.8 notitle, \
  $points every ::39-1::39-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.97 linewidth 1.8 notitle, \
  $points every ::40-1::40-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.03 linewidth 1.8 notitle, \
  $points every ::41-1::41-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.08 linewidth 1.8 notitle, \
  $points every ::42-1::42-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.14 linewidth 1.8 notitle, \
  $points every ::43-1::43-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::44-1::44-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::45-1::45-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.31 linewidth 1.8 notitle, \
  $points every ::46-1::46-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.36 linewidth 1.8 notitle, \
  $points every ::47-1::47-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.42 linewidth 1.8 notitle, \
  $points every ::48-1::48-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.48 linewidth 1.8 notitle, \
  $points every ::49-1::49-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.53 linewidth 1.8 notitle, \
  $points every ::50-1::50-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.59 linewidth 1.8 notitle, \
  $points every ::51-1::51-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.64 linewidth 1.8 notitle, \
  $points every ::52-1::52-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::53-1::53-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::54-1::54-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.86 linewidth 1.0 notitle, \
  $points every ::55-1::55-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.91 linewidth 1.0 notitle, \
  $points every ::56-1::56-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::57-1::57-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.86 linewidth 1.0 notitle, \
  $points every ::58-1::58-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.91 linewidth 1.0 notitle, \
  $points every ::59-1::59-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::60-1::60-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.86 linewidth 1.0 notitle, \
  $points every ::61-1::61-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.91 linewidth 1.0 notitle, \
  $points every ::62-1::62-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::63-1::63-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.86 linewidth 1.0 notitle, \
  $points every ::64-1::64-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.91 linewidth 1.0 notitle, \
  $points every ::65-1::65-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::66-1::66-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.86 linewidth 1.0 notitle, \
  $points every ::67-1::67-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.91 linewidth 1.0 notitle, \
  $points every ::68-1::68-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::69-1::69-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.86 linewidth 1.0 notitle, \
  $points every ::70-1::70-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.91 linewidth 1.0 notitle, \
  $points every ::71-1::71-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::72-1::72-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.86 linewidth 1.0 notitle, \
  $points every ::73-1::73-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.91 linewidth 1.0 notitle, \
  $points every ::74-1::74-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::75-1::75-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.86 linewidth 1.0 notitle, \
  $points every ::76-1::76-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.91 linewidth 1.0 notitle, \
  $points every ::77-1::77-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::78-1::78-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.86 linewidth 1.0 notitle, \
  $points every ::79-1::79-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.91 linewidth 1.0 notitle, \
  $points every ::80-1::80-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::81-1::81-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.86 linewidth 1.0 notitle, \
  $points every ::82-1::82-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.91 linewidth 1.0 notitle, \
  $points every ::83-1::83-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.97 linewidth 1.0 notitle, \
  $points every ::84-1::84-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.03 linewidth 1.0 notitle, \
  $points every ::85-1::85-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.08 linewidth 1.0 notitle, \
  $points every ::86-1::86-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::87-1::87-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.86 linewidth 1.0 notitle, \
  $points every ::88-1::88-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.91 linewidth 1.0 notitle, \
  $points every ::89-1::89-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.97 linewidth 1.0 notitle, \
  $points every ::90-1::90-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.03 linewidth 1.0 notitle, \
  $points every ::91-1::91-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.08 linewidth 1.0 notitle, \
  $points every ::92-1::92-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::93-1::93-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.86 linewidth 1.0 notitle, \
  $points every ::94-1::94-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.91 linewidth 1.0 notitle, \
  $points every ::95-1::95-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.97 linewidth 1.0 notitle, \
  $points every ::96-1::96-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.03 linewidth 1.0 notitle, \
  $points every ::97-1::97-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.08 linewidth 1.0 notitle, \
  $points every ::98-1::98-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.14 linewidth 1.0 notitle, \
  $points every ::99-1::99-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::100-1::100-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::101-1::101-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.31 linewidth 1.0 notitle, \
  $points every ::102-1::102-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.36 linewidth 1.0 notitle, \
  $points every ::103-1::103-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.42 linewidth 1.0 notitle, \
  $points every ::104-1::104-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.48 linewidth 1.0 notitle, \
  $points every ::105-1::105-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.53 linewidth 1.0 notitle, \
  $points every ::106-1::106-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.59 linewidth 1.0 notitle, \
  $points every ::107-1::107-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.64 linewidth 1.0 notitle, \
  $points every ::108-1::108-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.70 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'cudnn', \
  NaN with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 9 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f16', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.86 linewidth 1.6 title 'medium', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.91 linewidth 1.6 title 'large', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.97 linewidth 1.6 title 'xlarge', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.03 linewidth 1.6 title 'gpt2_1024', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.08 linewidth 1.6 title 'head128_4096', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.14 linewidth 1.6 title 'head64_512', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.19 linewidth 1.6 title 'head64_16384', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.25 linewidth 1.6 title 'head128_512', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.31 linewidth 1.6 title 'head128_1024', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.36 linewidth 1.6 title 'head128_16384', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.42 linewidth 1.6 title 'head64_causal_4096', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.48 linewidth 1.6 title 'head64_causal_16384', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.53 linewidth 1.6 title 'head128_causal_4096', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.59 linewidth 1.6 title 'head128_causal_16384', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.64 linewidth 1.6 title 'gpt2_causal', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.70 linewidth 1.6 title 'llama3_8b'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
